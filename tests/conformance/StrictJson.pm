package StrictJson;
# JSON read strictly, in Perl 5 with core modules only. JSON::PP neither notices a key given twice
# nor keeps 2.0 apart from 2, so each value is read here as [kind, value]; kinds are object, list,
# string, integer, decimal and word (true, false, null). What is not JSON dies with its problem.
use strict;
use warnings;
no warnings qw(recursion surrogate);
use Exporter qw(import);
our @EXPORT_OK = qw(document);

my ($source, $deepest);

sub document {    # the one value of a text, nested at most so deeply
    ($source, $deepest) = @_;
    pos($source) = 0;
    my $root = value(1);
    skip();
    refuse('text after the document') if (pos($source) // 0) < length $source;
    return $root;
}

sub refuse { die { problem => shift } }


sub value {
    my ($depth) = @_;
    refuse('nested too deeply') if $depth > $deepest;
    skip();
    return [object => members($depth)] if $source =~ /\G\{/gc;
    return [list   => elements($depth)] if $source =~ /\G\[/gc;
    return [string => string()] if $source =~ /\G"/gc;
    return [word   => $1] if $source =~ /\G(true|false|null)\b/gc;
    refuse('not JSON at character ' . (pos($source) // 0))
        unless $source =~ /\G(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/gc;
    return [integer => $1] unless defined $2 || defined $3;
    return [decimal => $1 . ($2 // '') . ($3 // '')];
}

sub skip { $source =~ /\G[ \t\r\n]*/gc }

sub expect {
    my ($sign) = @_;
    skip();
    return if $source =~ /\G\Q$sign\E/gc;
    refuse("expected $sign at character " . (pos($source) // 0));
}

sub members {
    my ($depth) = @_;
    my %found;
    skip();
    return \%found if $source =~ /\G\}/gc;
    do {
        expect('"');
        my $key = string();
        refuse(qq(the key "$key" is given twice)) if exists $found{$key};
        expect(':');
        $found{$key} = value($depth + 1);
        skip();
    } while ($source =~ /\G,/gc);
    expect('}');
    return \%found;
}

sub elements {
    my ($depth) = @_;
    my @found;
    skip();
    return \@found if $source =~ /\G\]/gc;
    do { push @found, value($depth + 1); skip() } while ($source =~ /\G,/gc);
    expect(']');
    return \@found;
}

sub string {    # called after the opening quote
    $source =~ m{\G((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"}gc
        or refuse('a string that is not JSON');
    my $text = $1;
    my %sign = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");
    my $pair = 'u(d[89ab][0-9a-f]{2})\\\\u(d[c-f][0-9a-f]{2})';
    $text =~ s{\\(?:$pair|u([0-9a-f]{4})|(.))}{
        defined $1 ? chr(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff))
      : defined $3 ? chr(hex $3) : $sign{$4} // $4 }gei;
    return $text;
}

1;
