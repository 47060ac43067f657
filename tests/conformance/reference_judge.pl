#!/usr/bin/env perl
# The judge protocol in Perl 5, core modules only: a case {"function": ..., "given": ...} on a line
# of stdin, its answer on a line of stdout. It was written from the protocol and from Readings R20
# to R27, and shares nothing with epc. A case that is none is exit 2.
use strict;
use warnings;
use utf8;
use feature qw(fc);
no warnings qw(recursion surrogate);
use B                  qw(SVf_POK svref_2object);
use Encode             qw(decode FB_CROAK);
use FindBin            ();
use lib $FindBin::Bin;
use List::Util         qw(all any max min sum0 uniq);
use StrictJson         qw(document);
use Unicode::Normalize qw(NFC NFKC);

my @DIMENSIONS = qw(FORMAT_COMPLIANCE INSTRUCTION_COMPLIANCE SEMANTIC_FIDELITY COMPLETENESS);
my %IS_DIMENSION = map { $_ => 1 } @DIMENSIONS;
my @FLAGS = qw(PROTOCOL_VIOLATION UNPARSABLE_OUTPUT INCOMPLETE_COVERAGE
    JUDGE_REFUSAL_OR_EVASION INTERNAL_INCONSISTENCY);
my ($P, $U, $C, $E, $I) = @FLAGS;
my @IDENTIFIERS = qw(question_id prompt_variant target_model output_id);
my @VERDICTS    = qw(PASS PARTIAL FAIL);
my $SPACE       = qr/[\s\x1c-\x1f]/;
my $REFUSALS    = join '|', map { quotemeta } (
    "i can't", 'i cannot', 'i can not', "i'm sorry", 'i am sorry', 'i apologize', 'i apologise',
    "i'm unable", 'i am unable', "i'm not able", 'i am not able', "i won't", 'i will not',
    'i must decline', 'i decline', 'i refuse', "i'd rather not", 'as an ai',
    'as a language model', 'as a large language model', 'cannot assist', "can't assist",
    'cannot help with', "can't help with", 'cannot comply', "can't comply", 'unable to comply',
    'unable to assist', 'unable to provide', 'against my guidelines', 'against my policy',
    'violates my', 'not appropriate for me', '抱歉', '对不起', '我无法', '我不能', '无法提供',
    '申し訳', 'できません', '죄송', '할 수 없', 'lo siento', 'no puedo', 'desculpe', 'não posso',
    'mi dispiace', 'non posso', 'je suis désolé', 'je ne peux pas', 'es tut mir leid',
    'tut mir leid', 'ich kann nicht', 'ich kann diese', 'het spijt me', 'ik kan niet', 'извините',
    'я не могу', 'к сожалению', 'آسف', 'لا أستطيع', 'मुझे खेद'
);

sub strip { my ($text) = @_; $text =~ s/\A$SPACE+//; $text =~ s/$SPACE+\z//; return $text }

# --- A reply's values stay [kind, value]; a case's become plain Perl.
sub plain {
    my ($node) = @_;
    my ($kind, $value) = @$node;
    return [map { plain($_) } @$value] if $kind eq 'list';
    return { map { $_ => plain($value->{$_}) } keys %$value } if $kind eq 'object';
    return $value unless $kind eq 'word';
    return $value eq 'null' ? undef : $value eq 'true';
}

sub is_of { my ($node, $kind) = @_; return $node && $node->[0] eq $kind }
sub members_of { my ($node) = @_; return is_of($node, 'object') ? $node->[1] : {} }
sub items_of { my ($node) = @_; return is_of($node, 'list') ? @{ $node->[1] } : () }
sub text_of { my ($node) = @_; return is_of($node, 'string') ? $node->[1] : '' }
sub is_number { my ($node) = @_; return $node && $node->[0] =~ /^(?:integer|decimal)$/ }

sub unreadable {    # R21: what no strict reader takes though the syntax is right
    my ($node) = @_;
    my ($kind, $value) = @$node;
    return any { unreadable($_) } @$value if $kind eq 'list';
    return any { /[\x{d800}-\x{dfff}]/ || unreadable($value->{$_}) } keys %$value
        if $kind eq 'object';
    return $value =~ /[\x{d800}-\x{dfff}]/ if $kind eq 'string';
    return $value =~ tr/0-9// > 19 if $kind eq 'integer';
    return abs($value) == 9**9**9 if $kind eq 'decimal';
    return 0;
}

# --- R20: verdicts.
sub verdict_of { my ($sum) = @_; return $sum <= 3 ? 'FAIL' : $sum >= 7 ? 'PASS' : 'PARTIAL' }

sub admitted {
    my @scores = @_;
    my $sum    = sum0(@scores);
    return (
        ($sum >= 7 && $scores[0] && $scores[1] ? 'PASS' : ()),
        ($sum >= 4 && $sum <= 6 || min(@scores) == 0 ? 'PARTIAL' : ()),
        ($sum <= 3 ? 'FAIL' : ()),
    );
}

sub verdict {
    my ($given) = @_;
    my @scores = @$given{@DIMENSIONS};
    my $sum    = sum0(@scores);
    return { overall_score => $sum, verdict => verdict_of($sum), admitted => [admitted(@scores)] };
}

# --- R22 and R25: quotes.
sub one_spelling {
    my ($text) = @_;
    $text =~ tr/“”„‟«»″＂/"/;
    $text =~ tr/‘’‚‛‹›′＇ʼ/'/;
    $text =~ s/[\x{2010}-\x{2015}\x{2212}]/-/g;
    return $text;
}

sub fold {
    my ($text, $rules) = @_;
    $text =~ s/…|⋯|\. \. \.|\.{4,}/.../g if $rules > 1;
    $text = one_spelling($text);
    $text = NFC($text) if $rules > 1;
    return join ' ', grep { length } split /$SPACE+/, $text;
}

sub loose {
    my ($text) = @_;
    $text = NFKC($text);
    $text =~ s/^[ \t]*(?:[-+*>]|\#{1,6}|•)[ \t]+//mg;
    $text = one_spelling($text);
    $text =~ s/\[\^?\d+(?:\s*[,;-]\s*\d+)*\]|【[^】]*】|\x{e200}[^\x{e201}]*\x{e201}//g;
    $text =~ s/!?\[([^\]]*)\]\([^)\s]*\)/$1/g;
    $text =~ s{[*_`~\#|\\]|</?[A-Za-z][^<>]*>}{}g;
    $text = fold($text, 2);
    $text =~ s/ (?=[.,;:!?])//g;
    return $text;
}

sub words {
    my ($text) = @_;
    my $alone = '\x{3040}-\x{30ff}\x{3400}-\x{9fff}';
    return scalar(() = $text =~ /[$alone\x{f900}-\x{faff}]|(?:(?![$alone])[\p{L}\p{N}_])+/g);
}

sub holds {
    my ($output, $quote, $rules) = @_;
    return index(fold($output, $rules), fold($quote, $rules)) >= 0 || index($output, $quote) >= 0;
}

my %ABSENT = map { $_ => 1 } (
    'n/a', 'na', 'none', 'null', 'nil', 'not applicable', 'not available', 'not found',
    'not present', 'not included', 'not provided', 'not stated', 'absent', 'missing', 'empty',
    'no quote', 'no quote available', 'no evidence', 'no evidence found', 'no such section',
    'section missing', 'missing section', 'no output', 'nothing', '无', '缺失', '未出现', '未提供',
    '没有'
);

sub kind {
    my ($output, $quote) = @_;
    my $said = fc(fold($quote, 2));
    $said =~ s/\A[\[\](){}<>"'.,:;!\- ]+|[\[\](){}<>"'.,:;!\- ]+\z//g;
    my $absent = strip($quote) eq '' || $ABSENT{$said};
    return 'trivial' if !$absent && (() = $quote =~ /[\p{L}\p{N}]/g) < 3;
    return 'verbatim' if strip($quote) ne '' && index($output, $quote) >= 0;
    my ($loosely, $within) = (loose($quote), loose($output));
    return 'altered' if words($loosely) && index($within, $loosely) >= 0;
    return 'elided' if holds_pieces($within, $loosely);
    return $absent ? 'absence' : 'invented';
}

sub holds_pieces {
    my ($within, $loosely) = @_;
    $loosely =~ s/[\[(]\s*\.\.\.\s*[\])]/.../g;
    my @pieces = map { strip($_) } split /\.\.\./, $loosely, -1;
    my @long = grep { words($_) >= 3 } @pieces;
    my $at   = 0;
    for (@long) {
        $at = index($within, $_, $at);
        return 0 if $at < 0;
        $at += length;
    }
    return @pieces > 1 && @long;
}

sub quote {
    my ($given) = @_;
    my ($output, $quote) = @$given{qw(output quote)};
    my $held = strip($quote) eq '' || holds($output, $quote, $given->{rules});
    return { kind => kind($output, $quote), held => \!!$held };
}

# --- R21 and R22: what a reply is worth.
sub check {
    my ($given) = @_;
    my ($reply, $rules) = ($given->{reply}, $given->{rules} // 1);
    my $root = eval { document($reply, 64) };
    return checked([$U, evades($reply) ? $E : ()])
        if !$root || $root->[0] ne 'object' || unreadable($root);
    my $record = $root->[1];
    my ($meta, $scores) = map { members_of($record->{$_}) } qw(meta scores);
    my @given  = @$scores{@DIMENSIONS};
    my $usable = all { is_of($_, 'integer') && $_->[1] =~ /\A(?:[012]|-0)\z/ } @given;
    my @values = $usable ? map { $_->[1] + 0 } @given : ();
    my @found  = (
        violations($record, $given->{output}, $rules),
        departs($record)                              ? $U : (),
        covers($meta, $given->{sample})               ? () : $C,
        scoreless($scores, $rules)                    ? $E : (),
        contradicts($record, \@values, $given->{sample}) ? $I : (),
        map { text_of($_) } items_of($record->{flags}),
    );
    my $judges = is_of($record->{verdict}, 'string') ? $record->{verdict}[1] : undef;
    return checked(\@found, @values ? verdict_of(sum0(@values)) : undef, $judges);
}

sub checked {
    my ($found, $verdict, $judges) = @_;
    my %raised = map { $_ => 1 } @$found;
    my @flags  = grep { $raised{$_} } @FLAGS;
    return {
        valid => \!@flags, flags => \@flags, verdict => $verdict, judge_verdict => $judges
    };
}

sub evades {
    my ($text) = @_;
    my $names = join '|', map { s/_/[_ -]?/gr } @DIMENSIONS;
    return 1 if $text !~ /(?:$names)[\s\\"'‘-‟*_`:=|(\[-]{0,12}[0-9]/i;
    my $opening = substr fc(join ' ', split ' ', $text =~ tr/’‘ʼ/'/r), 0, 200;
    return index($text, '{') < 0 && $opening =~ /$REFUSALS/;
}

sub violations {
    my ($record, $output, $rules) = @_;
    my ($meta, $scores) = map { members_of($record->{$_}) } qw(meta scores);
    for (keys %$scores) {
        next if $_ eq 'overall_score';
        return $P unless $IS_DIMENSION{$_};
        my $score = $scores->{$_};
        return $P if is_number($score) && ($score->[1] < 0 || $score->[1] > 2);
    }
    my @evidence = items_of($record->{evidence});
    return $P if @evidence > 1000;
    my %covered;
    for (grep { is_of($_, 'object') } @evidence) {
        my ($dimension, $quote, $reason) = map { text_of($_) } @{ $_->[1] }{qw(dimension quote reason)};
        return $P if $dimension ne '' && !$IS_DIMENSION{$dimension};
        next if strip($quote) eq '';
        $covered{$dimension} = 1 if strip($reason) ne '';
        return $P unless holds($output, $quote, $rules);
    }
    return $P unless all { $covered{$_} } @DIMENSIONS;
    return () if $rules == 1;
    return $P if $meta->{timestamp} && !is_date(text_of($meta->{timestamp}));
    return is_of($meta->{method}, 'string') && $meta->{method}[1] !~ /\A(?:cross|self)_judge\z/ ? $P : ();
}

sub is_date {
    my ($year, $month, $day) = $_[0] =~ /\A([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ][0-9:.,+Z-]*)?\z/
        or return 0;
    my $leap = $year % 4 == 0 && ($year % 100 || $year % 400 == 0);
    my @days = (0, 31, $leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
    return $year > 0 && $month >= 1 && $month <= 12 && $day >= 1 && $day <= $days[$month];
}

sub departs {    # a field that is missing, or of a wrong type
    my ($record) = @_;
    my %kinds = (meta => 'object', scores => 'object', verdict => 'string', flags => 'list', evidence => 'list');
    return 1 unless all { is_of($record->{$_}, $kinds{$_}) } keys %kinds;
    return 1 if $record->{notes} && !is_of($record->{notes}, 'string');
    my ($meta, $scores) = map { $_->[1] } @$record{qw(meta scores)};
    return 1 unless all { is_of($meta->{$_}, 'string') } @IDENTIFIERS, qw(judge_model method timestamp);
    return 1 unless all { is_of($scores->{$_}, 'integer') } @DIMENSIONS, 'overall_score';
    return 1 unless all { is_of($_, 'string') } items_of($record->{flags});
    for my $item (items_of($record->{evidence})) {
        return 1 unless is_of($item, 'object');
        return 1 unless all { is_of($item->[1]{$_}, 'string') } qw(dimension quote reason);
    }
    return 0;
}

sub covers {
    my ($meta, $sample) = @_;
    return all { is_of($meta->{$_}, 'string') && $meta->{$_}[1] eq $sample->{$_} } @IDENTIFIERS, 'judge_model';
}

sub scoreless {
    my ($scores, $rules) = @_;
    my %none = map { $_ => 1 } $rules > 1 ? ('', qw(n/a na none null - -- ?), 'not applicable') : '';
    return 0 if any { $_ ne 'overall_score' && is_number($scores->{$_}) } keys %$scores;
    return all {
        my $score = $scores->{$_};
        !$score || ($score->[0] eq 'word' && $score->[1] eq 'null')
            || ($score->[0] eq 'string' && $none{ fc(strip($score->[1])) })
    } @DIMENSIONS;
}

sub contradicts {
    my ($record, $values, $sample) = @_;
    my ($meta, $scores) = map { members_of($record->{$_}) } qw(meta scores);
    my @sum = @$scores{@DIMENSIONS, 'overall_score'};
    if (all { is_of($_, 'integer') } @sum) {
        my $overall = pop(@sum)->[1];
        return 1 if $overall != sum0(map { $_->[1] } @sum);
    }
    if (is_of($record->{verdict}, 'string')) {
        my @fitting = @$values ? admitted(@$values) : @VERDICTS;
        return 1 unless any { $_ eq $record->{verdict}[1] } @fitting;
    }
    my ($method, $judge, $target) = @$meta{qw(method judge_model target_model)};
    return 0 unless is_of($method, 'string');
    return 1 if $method->[1] ne $sample->{method};
    return 0 unless is_of($judge, 'string') && is_of($target, 'string');
    return $method->[1] ne ($judge->[1] eq $target->[1] ? 'self_judge' : 'cross_judge');
}

# --- R24, R26, R27 and labels: figures.
sub mean { return @_ ? sum0(@_) / @_ : undef }

sub shares {    # R26
    my ($given) = @_;
    my @all   = @{ $given->{evaluations} };
    my @valid = grep { $_->{valid} } @all;
    my $lost  = @all - @valid;
    my %verdicts;
    for my $name (@VERDICTS) {
        my $hits = grep { verdict_of(sum0(@{ $_->{scores} })) eq $name } @valid;
        $verdicts{$name} = stated(@valid ? $hits / @valid : undef, $hits, $hits + $lost, scalar @all);
    }
    my @sums = map { sum0(@{ $_->{scores} }) } @valid;
    my (%target, %score);
    push @{ $target{ $_->{target} } }, !$_->{valid} for @all;
    push @{ $score{ sum0(@{ $_->{scores} }) } }, !$_->{valid} for grep { $_->{scores} } @all;
    return {
        verdicts         => \%verdicts,
        overall_score    => stated(mean(@sums), sum0(@sums), sum0(@sums) + 8 * $lost, scalar @all),
        invalid          => @all ? $lost / @all : undef,
        invalid_by_target => { map { $_ => mean(map { $_ ? 1 : 0 } @{ $target{$_} }) } keys %target },
        invalid_by_score  => { map { $_ => mean(map { $_ ? 1 : 0 } @{ $score{$_} }) } keys %score },
    };
}

sub stated {
    my ($value, $low, $high, $of) = @_;
    return { value => $value, bounds => $of ? [$low / $of, $high / $of] : undef };
}

sub self_preference {    # R24
    my ($given) = @_;
    my (%by_output, %favours);
    $by_output{ $_->{output} }{ $_->{judge} } = $_ for grep { $_->{valid} } @{ $given->{judgments} };
    for my $judge (uniq map { keys %$_ } values %by_output) {
        my (%gaps, $judged_own);
        for my $ones (grep { $_->{$judge} } values %by_output) {
            my $own = $ones->{$judge}{target} eq $judge;
            $judged_own ||= $own;
            for my $third (grep { $_ ne $judge && $_ ne $ones->{$_}{target} } keys %$ones) {
                push @{ $gaps{$third}[$own ? 0 : 1] }, $ones->{$judge}{overall} - $ones->{$third}{overall};
            }
        }
        next unless $judged_own;
        $favours{$judge} = mean(map { mean(@{ $_->[0] }) - mean(@{ $_->[1] }) } grep { $_->[0] && $_->[1] } values %gaps);
    }
    return \%favours;
}

sub drift {    # R27: only like with like, and never over shared answers
    my ($given) = @_;
    my ($before, $after) = @$given{qw(before after)};
    my @differing = grep { ($before->{$_} // '') ne ($after->{$_} // '') } qw(blind prompt mapping constraint decoding);
    s/blind/names/ for @differing;
    my $is_stated = !@differing || "@differing" eq 'names';
    my %none = (compared => undef, shared => undef, mean_difference => undef);
    return { stated => \!1, differing => \@differing, %none } unless $is_stated;
    my @both = grep { $after->{scores}{$_} } sort keys %{ $before->{scores} };
    my @anew = grep { $before->{scores}{$_}{answer} ne $after->{scores}{$_}{answer} } @both;
    my @moved = map { $after->{scores}{$_}{overall} - $before->{scores}{$_}{overall} } @anew;
    return {
        stated => \1, differing => \@differing, compared => 0 + @anew,
        shared => @both - @anew, mean_difference => mean(@moved),
    };
}

sub labels {    # what people would pass of all outputs, by what they say of passed and failed ones
    my ($given) = @_;
    my @all     = @{ $given->{outputs} };
    my $share   = mean(map { $_->{judge} ? 1 : 0 } @all);
    my @known   = grep { defined $_->{people} } @all;
    my @others  = grep { !defined $_->{people} } @all;
    my %weight  = (1 => 1, 0 => 1);
    if (@known && @others) {    # shares of labels drawn unevenly are weighted to all
        my ($in, $out) = map { mean(map { $_->{judge} ? 1 : 0 } @$_) } \@known, \@others;
        my $spread = sqrt($share * (1 - $share) * (1 / @known + 1 / @others));
        if (abs($in - $out) > 1.959963984540054 * $spread && $in > 0 && $in < 1) {
            %weight = (1 => $share / $in, 0 => (1 - $share) / (1 - $in));
        }
    }
    my $part = sub {            # of some outputs the weighted share that the judge passes
        my ($hits, $n) = (0, 0);
        for (@_) {
            my $w = $weight{ $_->{judge} ? 1 : 0 };
            $n += $w;
            $hits += $w if $_->{judge};
        }
        return $n ? $hits / $n : undef;
    };
    my $hit     = $part->(grep { $_->{people} } @known);
    my $false   = $part->(grep { !$_->{people} } @known);
    my $people  = mean(map { $_->{people} ? 1 : 0 } @known);
    my $passed  = mean(map { $_->{people} ? 1 : 0 } grep { $_->{judge} } @known);
    my $failed  = mean(map { $_->{people} ? 1 : 0 } grep { !$_->{judge} } @known);
    $passed = $people unless defined $passed;
    $failed = $people unless defined $failed;
    my $some = @known && @known < @all;
    return {
        stated               => $share,
        tpr                  => $hit,
        tnr                  => defined $false ? 1 - $false : undef,
        corrected_pass_share => $some ? $share * $passed + (1 - $share) * $failed : undef,
    };
}

# --- Intervals and agreement.
my $Z = 1.959963984540054;

sub t_point {    # by bisection of the t distribution's finite series
    my ($df) = @_;
    my ($low, $high) = (0, 20);
    for (1 .. 80) {
        my $middle = ($low + $high) / 2;
        (inside($middle, $df) < 0.95 ? $low : $high) = $middle;
    }
    return $low;
}

sub inside {    # Abramowitz and Stegun, 26.7.3 and 26.7.4
    my ($t, $df) = @_;
    my $angle = atan2($t, sqrt($df));
    my $odd   = $df % 2;
    my ($term, $sum) = ($odd ? cos($angle) : 1, 0);
    for (my $at = $odd ? 3 : 2; $at <= $df; $at += 2) {
        $sum += $term;
        $term *= cos($angle)**2 * ($at - 1) / $at;
    }
    return $odd ? ($angle + sin($angle) * $sum) * 2 / atan2(0, -1) : sin($angle) * $sum;
}

sub wilson {
    my ($hits, $n) = @_;
    my $middle = $hits + $Z**2 / 2;
    my $half   = $Z * sqrt($hits * ($n - $hits) / $n + $Z**2 / 4);
    return [max(0, ($middle - $half) / ($n + $Z**2)), min(1, ($middle + $half) / ($n + $Z**2))];
}

sub interval {    # R26: clustered by question, as Wilson's at the effective number or as a mean's
    my ($given) = @_;
    my @seen = @{ $given->{observations} };
    my ($total, $n) = (sum0(map { $_->{value} } @seen), sum0(map { $_->{of} } @seen));
    my ($value, %off) = ($total / $n);
    return { value => $value, ci95 => $n < 2 ? undef : wilson($total, $n) } if $given->{figure} eq 'wilson';
    $off{ $_->{question} } += ($_->{value} - $value * $_->{of}) / $n for @seen;
    my $k = keys %off;
    return { value => $value, ci95 => undef } if $k < 2;
    my $spread = sum0(map { $_**2 } values %off) * $k / ($k - 1);
    my $t      = t_point($k - 1);
    my $half   = $t * sqrt $spread;
    return { value => $value, ci95 => [$value - $half, $value + $half] } if $given->{figure} eq 'mean';
    my $top       = $given->{figure} eq 'score' ? 8 : 1;    # a mean as a share of its scale
    my $part      = $value / $top;
    my $effective = $spread > 1e-12 / $n ? $part * (1 - $part) * $top**2 / $spread : $k;
    $effective = min($effective, $n) if $top == 1;
    $effective *= ($Z / $t)**2;
    return { value => $value, ci95 => [map { $top * $_ } @{ wilson($part * $effective, $effective) }] };
}

sub agreement {
    my ($given) = @_;
    my @outputs = @{ $given->{outputs} };
    my @judges  = sort { $a cmp $b } uniq map { keys %{ $_->{scores} } } @outputs;
    my (@pairs, %alpha);
    for my $at (0 .. $#judges) {
        push @pairs, { judges => [@judges[$at, $_]], kappa => {} } for $at + 1 .. $#judges;
    }
    for my $name ('overall_score', @DIMENSIONS) {
        my ($index) = grep { $DIMENSIONS[$_] eq $name } 0 .. $#DIMENSIONS;
        my @rated;
        for my $one (@outputs) {
            my $scores = $one->{scores};
            my %by = map { $_ => defined $index ? $scores->{$_}[$index] : sum0(@{ $scores->{$_} }) } keys %$scores;
            push @rated, { question => $one->{question}, by => \%by };
        }
        for my $pair (@pairs) {
            my ($left, $right) = @{ $pair->{judges} };
            my @both = map { { question => $_->{question}, by => { %{ $_->{by} }{ $left, $right } } } }
                grep { defined $_->{by}{$left} && defined $_->{by}{$right} } @rated;
            $pair->{kappa}{$name} = left_out(sub { kappa($left, $right, @_) }, @both);
        }
        my @several = grep { keys %{ $_->{by} } > 1 } @rated;
        $alpha{$name} = left_out(sub { alpha(defined $index, @_) }, @several);
    }
    return { pairs => \@pairs, alpha => \%alpha };
}

sub left_out {    # a figure, and the jackknife's interval over questions
    my ($figure, @rated) = @_;
    my $whole = $figure->(@rated);
    my @parts;
    for my $question (uniq map { $_->{question} } @rated) {
        push @parts, $figure->(grep { $_->{question} ne $question } @rated);
    }
    return { value => $whole, ci95 => undef } if !defined $whole || @parts < 2 || grep { !defined } @parts;
    my $differing = uniq map { $_->{question} } grep { uniq(values %{ $_->{by} }) > 1 } @rated;
    return { value => $whole, ci95 => undef } if !$differing;
    my $middle = mean(@parts);
    my $spread = (@parts - 1) / @parts * sum0(map { ($_ - $middle)**2 } @parts);
    my $half   = t_point(@parts - 1) * sqrt($spread / (1 - $whole)**2 + 1 / $differing**2);
    return { value => $whole, ci95 => [max(-1, 1 - (1 - $whole) * exp $half), 1 - (1 - $whole) * exp -$half] };
}

sub kappa {    # Cohen's, with quadratic weights
    my ($left, $right, @rated) = @_;
    my @first  = map { $_->{by}{$left} } @rated;
    my @second = map { $_->{by}{$right} } @rated;
    my ($seen, $chance) = (0, 0);
    for my $one (@first) { $chance += ($one - $_)**2 for @second }
    $seen += ($first[$_] - $second[$_])**2 for 0 .. $#rated;
    return $chance ? 1 - @rated * $seen / $chance : undef;
}

sub alpha {    # Krippendorff's, ordinal or of intervals
    my ($ordinal, @rated) = @_;
    my @units = map { [values %{ $_->{by} }] } @rated;
    my %count;
    $count{$_}++ for map { @$_ } @units;
    my $gap = sub {
        my ($low, $high) = $_[0] < $_[1] ? @_ : reverse @_;
        return ($low - $high)**2 if !$ordinal || $low == $high;
        return (sum0(map { $count{$_} // 0 } $low .. $high) - ($count{$low} + $count{$high}) / 2)**2;
    };
    my ($within, $among) = (0, 0);
    for my $unit (@units) {
        for my $one (@$unit) { $within += $gap->($one, $_) / (@$unit - 1) for @$unit }
    }
    for my $one (keys %count) { $among += $count{$one} * $count{$_} * $gap->($one, $_) for keys %count }
    return $among ? 1 - (sum0(values %count) - 1) * $within / $among : undef;
}

# --- Read, answer.
sub json {
    my ($value) = @_;
    return 'null' unless defined $value;
    return $$value ? 'true' : 'false' if ref $value eq 'SCALAR';
    return '[' . join(', ', map { json($_) } @$value) . ']' if ref $value eq 'ARRAY';
    return '{' . join(', ', map { json("$_") . ': ' . json($value->{$_}) } sort keys %$value) . '}'
        if ref $value eq 'HASH';
    return sprintf '%.17g', $value unless svref_2object(\$value)->FLAGS & SVf_POK;
    return '"' . join('', map { /["\\]/ || ord() < 32 || ord() > 126 ? escaped($_) : $_ } split //, $value) . '"';
}

sub escaped {
    return sprintf '\\u%04x', ord $_[0] if ord $_[0] < 0x10000;
    my $above = ord($_[0]) - 0x10000;
    return sprintf '\\u%04x\\u%04x', 0xd800 + ($above >> 10), 0xdc00 + ($above & 0x3ff);
}

my %FUNCTIONS = (
    verdict => \&verdict, check => \&check, quote => \&quote, shares => \&shares,
    self_preference => \&self_preference, drift => \&drift, labels => \&labels,
    interval => \&interval, agreement => \&agreement,
);
binmode STDIN;
while (my $line = <STDIN>) {
    my $case = eval { plain(document(decode('UTF-8', $line, FB_CROAK), 101)) };
    my $answer = ref $case eq 'HASH' && $FUNCTIONS{ $case->{function} // '' };
    if (!$answer) { print STDERR "no case of the judge protocol\n"; exit 2 }
    print json($answer->($case->{given})), "\n";
}
