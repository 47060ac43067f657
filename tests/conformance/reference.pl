#!/usr/bin/env perl
# An EPC replay in Perl 5, core modules only: one conformance case on stdin, its answer
# on stdout. It was written from the protocol (EPC-2.1 to EPC-2.6) and shares nothing
# with epc. A malformed case is exit 2, with the JSON Pointer of its first fault on stderr.
use strict;
use warnings;
no warnings qw(recursion surrogate);
use Encode      qw(decode FB_CROAK);
use FindBin     ();
use lib $FindBin::Bin;
use StrictJson  qw(document);
use List::Util  qw(max sum0);
use POSIX       qw(DBL_MAX LC_ALL setlocale strtod);

my @PHASES      = qw(text visual text_to_visual visual_to_text);
my %STARTS_FROM = (text_to_visual => 'text', visual_to_text => 'visual');
my %PURE        = (text_to_visual => 'visual', visual_to_text => 'text');

sub refuse {
    my ($place, $problem) = @_;
    binmode STDERR, ':encoding(UTF-8)';
    printf STDERR "\"%s\": %s\n", $place, $problem;
    exit 2;
}

# --- What a case must be. Each check names the place of the fault.
sub at { my ($place, $key) = @_; $key =~ s/~/~0/g; $key =~ s{/}{~1}g; return "$place/$key" }

sub object {
    my ($place, $node, @known) = @_;
    refuse($place, 'not an object') unless $node->[0] eq 'object';
    my %known = map { $_ => 1 } @known;
    $known{$_} or refuse(at($place, $_), 'an unknown key') for sort keys %{ $node->[1] };
    return $node->[1];
}

sub list {
    my ($place, $node) = @_;
    refuse($place, 'not a list') unless $node->[0] eq 'list';
    return @{ $node->[1] };
}

sub need {
    my ($place, $members, @keys) = @_;
    exists $members->{$_} or refuse($place, "the key $_ is missing") for @keys;
}

sub number {
    my ($place, $node, $low, $high) = @_;
    refuse($place, 'not a number') unless $node->[0] =~ /^(?:integer|decimal)$/;
    my ($number) = strtod($node->[1]);
    refuse($place, "not between $low and $high") unless $number >= $low && $number <= $high;
    return $number;
}

sub integer {
    my ($place, $node, $low, $high) = @_;
    refuse($place, 'not an integer') unless $node->[0] eq 'integer';
    return number($place, $node, $low, $high);
}

sub initial_weights {
    my ($node, $count) = @_;
    return ((1 / $count) x $count) if !$node || ($node->[0] eq 'word' && $node->[1] eq 'null');
    my @given = list('/initial_weights', $node);
    refuse('/initial_weights', "not $count weights") if @given != $count;
    my @weights = map { number("/initial_weights/$_", $given[$_], 0, DBL_MAX) } 0 .. $#given;
    refuse('/initial_weights', 'the sum is not 1') if abs(sum0(@weights) - 1) > 1e-9;
    return @weights;
}

sub configuration {
    my ($node) = @_;
    my %config = (alpha_win => 0.08, alpha_lose => 0.04, weight_floor => 0.001);
    my $given  = $node ? object('/config', $node, keys %config, 'rule') : {};
    if (my $rule = delete $given->{rule}) {
        refuse('/config', 'rates beside another rule') if %$given;
        return learning_rule($rule);
    }
    $config{$_} = number("/config/$_", $given->{$_}, 0, 1e6) for sort keys %$given;
    refuse('/config/weight_floor', 'not above 0') unless $config{weight_floor} > 0;
    return %config;
}

# --- Learning rules other than the protocol's (Reading R81); a state is a list of numbers.
my %RATES = (
    bayes           => {high => [0, 1], low => [0, 1]},
    'bradley-terry' => {step => [0, 1e6]},
    thompson        => {prior_wins => [1, 1000], prior_losses => [1, 1000]},
);

sub learning_rule {
    my ($node) = @_;
    my $given = object('/config/rule', $node, qw(name high low step prior_wins prior_losses));
    need('/config/rule', $given, 'name');
    my $name = $given->{name}[1];
    my $rates = $RATES{ $given->{name}[0] eq 'string' ? $name : '' }
        or refuse('/config/rule', 'no learning rule');
    object('/config/rule', $node, 'name', keys %$rates);
    need('/config/rule', $given, sort keys %$rates);
    my %rule = map { $_ => number("/config/rule/$_", $given->{$_}, @{ $rates->{$_} }) }
        sort keys %$rates;
    return (%rule, name => $name);
}

sub shares { my $sum = 0; $sum += $_ for @_; return map { $_ / $sum } @_ }

my @WIN_RATES = map { (2 * $_ + 1) / 32 } 0 .. 15;

sub begin {    # the state of a pure phase
    my ($config, @weights) = @_;
    my $name = $config->{name} // '';
    return (1) x @weights if $name eq 'bradley-terry';
    return @weights if $name ne 'thompson';
    my @prior = map {
        $_**($config->{prior_wins} - 1) * (1 - $_)**($config->{prior_losses} - 1)
    } @WIN_RATES;
    return map { shares(@prior) } @weights;
}

sub policy {    # the weights of a state
    my ($config, @state) = @_;
    my $name = $config->{name} // '';
    return shares(@state) if $name eq 'bradley-terry';
    return @state if $name ne 'thompson';
    my @under;
    while (my ($at, $mass) = each @state) {    # the mass below the middle of each cell
        my $before = $at % 16 ? $under[$at - 1] + $state[$at - 1] / 2 : 0;
        $under[$at] = $before + $mass / 2;
    }
    my @found;
    for my $own (0 .. @state / 16 - 1) {
        for my $cell (0 .. 15) {
            my $term = $state[16 * $own + $cell];
            $_ == $own or $term *= $under[16 * $_ + $cell] for 0 .. @state / 16 - 1;
            $found[$own] += $term;
        }
    }
    return shares(@found);
}

sub learn {    # the state after a verdict that decides
    my ($config, $chosen, $won, @state) = @_;
    my $name = $config->{name};
    if ($name eq 'bayes') {
        my @chance = map { $won ? $_ : 1 - $_ } @$config{qw(low high)};
        return shares(map { $state[$_] * $chance[ $_ == $chosen ] } 0 .. $#state);
    }
    if ($name eq 'bradley-terry') {
        my $moved = $config->{step} * $state[$chosen] / ($state[$chosen] + 1);
        $state[$chosen] = $won ? $state[$chosen] + $moved : $state[$chosen] / (1 + $moved);
        return @state;
    }
    my @own = @state[16 * $chosen .. 16 * $chosen + 15];
    $own[$_] *= $won ? $WIN_RATES[$_] : 1 - $WIN_RATES[$_] for 0 .. 15;
    splice @state, 16 * $chosen, 16, shares(@own);
    return @state;
}

sub played {    # one round as [u, strategy, verdict], with u or strategy undefined
    my ($place, $node, $count) = @_;
    my $round = object($place, $node, qw(u strategy verdict));
    refuse($place, 'needs one of u and strategy')
        if exists $round->{u} == exists $round->{strategy};
    need($place, $round, 'verdict');
    my ($u, $strategy);
    $strategy = integer("$place/strategy", $round->{strategy}, 0, $count - 1)
        if $round->{strategy};
    $u = number("$place/u", $round->{u}, 0, 1) if $round->{u};
    refuse("$place/u", 'not below 1') if defined $u && $u == 1;
    my ($kind, $verdict) = @{ $round->{verdict} };
    refuse("$place/verdict", 'not "A", "B" or "tie"')
        unless $kind eq 'string' && $verdict =~ /\A(?:A|B|tie)\z/;
    return [$u, $strategy, $verdict];
}

# --- The protocol.
sub choose {    # EPC-2.3 step 1, R2
    my ($u, @weights) = @_;
    my $sum = 0;
    for my $index (0 .. $#weights) { return $index if ($sum += $weights[$index]) > $u }
    return $#weights;
}

sub final_state {    # EPC-2.3 steps 1 to 4
    my ($config, $rounds, @weights) = @_;
    for (@$rounds) {
        my ($u, $strategy, $verdict) = @$_;
        next if $verdict eq 'tie';    # EPC-2.6(c), R4: neither update nor renormalising
        my $chosen = $strategy // choose($u, policy($config, @weights));
        if ($config->{name}) {
            @weights = learn($config, $chosen, $verdict eq 'A', @weights);
            next;
        }
        my $step   = $verdict eq 'A' ? $config->{alpha_win} : -$config->{alpha_lose};
        $weights[$chosen] = max($config->{weight_floor}, $weights[$chosen] + $step);    # R3
        my $sum = sum0(@weights);
        $_ /= $sum for @weights;
    }
    return @weights;
}

sub gamma {    # EPC-2.5 eq. (1)
    my ($coupled, $pure) = @_;
    my $moved = sum0(map { ($coupled->[$_] - $pure->[$_])**2 } 0 .. $#$pure);
    return sqrt($moved) / sqrt(sum0(map { $_**2 } @$pure));
}

sub jsd {    # EPC-2.5, R9: nats, 0 log 0 = 0
    my ($p, $q) = @_;
    my $total = 0;
    for my $index (0 .. $#$p) {
        my $middle = ($p->[$index] + $q->[$index]) / 2;
        $total += $_ * log($_ / $middle) for grep { $_ > 0 } $p->[$index], $q->[$index];
    }
    return max(0, $total / 2);
}

# --- Read, replay, answer.
setlocale(LC_ALL, 'C');
binmode STDIN;
my $source = eval { decode('UTF-8', do { local $/; <STDIN> } // '', FB_CROAK) };
refuse('', 'not UTF-8') unless defined $source;
my $root = eval { document($source, 101) } // refuse('', $@->{problem});

my $case = object('', $root, qw(strategies initial_weights config phases));
need('', $case, qw(strategies phases));
my $count  = integer('/strategies', $case->{strategies}, 1, 10_000);
my @start  = initial_weights($case->{initial_weights}, $count);
my %config = configuration($case->{config});
my $phases = object('/phases', $case->{phases}, @PHASES);
need('/phases', $phases, @PHASES);
refuse('/initial_weights', 'not all of the state')
    if ($config{name} // 'bayes') ne 'bayes' && ($case->{initial_weights} // ['word'])->[0] ne 'word';
my (%state, %weights, $ties, $all);
for my $phase (@PHASES) {
    my @given  = list("/phases/$phase", $phases->{$phase});
    my @rounds = map { played("/phases/$phase/$_", $given[$_], $count) } 0 .. $#given;
    my $before = $STARTS_FROM{$phase};    # EPC-2.1, R1
    my @state = $before ? @{ $state{$before} } : begin(\%config, @start);
    $state{$phase}   = [final_state(\%config, \@rounds, @state)];
    $weights{$phase} = [policy(\%config, @{ $state{$phase} })];
    $ties += grep { $_->[2] eq 'tie' } @rounds;
    $all  += @rounds;
}

my @DIRECTIONS = sort keys %PURE;
my %gamma = map { $_ => gamma($weights{$_}, $weights{ $PURE{$_} }) } @DIRECTIONS;
my %jsd   = map { $_ => jsd($weights{$_},   $weights{ $PURE{$_} }) } @DIRECTIONS;
my %zero  = map { $_ => $gamma{$_} <= 1e-12 ? 'true' : 'false' } @DIRECTIONS;    # R8

sub exact { return join ', ', map { sprintf '%.17g', $_ } @_ }

sub members_of {
    my ($name, $text, @keys) = @_;
    return qq("$name": {) . join(', ', map { qq("$_": ) . $text->($_) } @keys) . '}';
}

print '{', join(",\n ",
    members_of('weights', sub { '[' . exact(@{ $weights{ $_[0] } }) . ']' }, @PHASES),
    members_of('gamma', sub { exact($gamma{ $_[0] }) }, @DIRECTIONS),
    members_of('jsd',   sub { exact($jsd{ $_[0] }) },   @DIRECTIONS),
    members_of('zero_coupling', sub { $zero{ $_[0] } }, @DIRECTIONS),
    '"tie_rate": ' . exact($all ? $ties / $all : 0)), "}\n";
