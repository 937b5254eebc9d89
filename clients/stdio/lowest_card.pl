#!/usr/bin/env perl
# Plays the lowest card that it may and passes its highest ones on. Core Perl only; run as
#
#     fairdeal bridge -- clients/stdio/lowest_card.pl

use strict;
use warnings;
use JSON::PP;

$| = 1;    # each answer goes out at once

my $json  = JSON::PP->new->canonical;
my $place = 0;
my %rank  = map { $_ => $place++ } qw(TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING ACE);

while (my $line = <STDIN>) {
    my $update = $json->decode($line);
    if ($update->{type} eq 'decision') {
        my %answer = (
            match_id    => $update->{match_id},
            decision_id => $update->{decision_id},
            answer($update->{legal}, $update->{minimum}),
        );
        print $json->encode(\%answer), "\n";
    }
    elsif ($update->{type} eq 'finished') {
        print STDERR "$update->{match_id}: scores by side: @{ $update->{scores} }\n";
    }
}

sub answer {
    my ($legal, $minimum) = @_;
    if (my $choice = $legal->{choose_cards}) {    # several at once, such as the hearts pass
        my @cards = sort { height($b) <=> height($a) } @{ $choice->{cards} };
        return (cards => [ @cards[ 0 .. $minimum - 1 ] ]);
    }
    if ($legal->{choose_combinations}) {          # further combinations to declare, in piquet
        return (combinations => []);
    }
    my @actions = @{ $legal->{actions}{actions} };
    my @plays   = sort { height($a->{play_card}) <=> height($b->{play_card}) } grep { $_->{play_card} } @actions;
    return @plays ? (action => $plays[0]) : (index => 0);
}

sub height {
    my ($card) = @_;                              # such as CARD_QUEEN_OF_SPADES
    my ($name) = $card =~ /^CARD_([A-Z]+)_OF_/;
    return $rank{$name};
}
