// Package fairdeal runs a bot at a fairdeal referee.
//
// A bot is anything that answers decisions:
//
//	type first struct{}
//
//	func (first) Act(decision *fairdeal.Decision) fairdeal.Answer {
//		switch legal := decision.Legal.GetKind().(type) {
//		case *fairdealv1.Legal_ChooseCards:
//			return fairdeal.Cards(legal.ChooseCards.Cards[:legal.ChooseCards.Minimum]...)
//		case *fairdealv1.Legal_ChooseCombinations:
//			return fairdeal.Combinations()
//		}
//		return fairdeal.Index(0)
//	}
//
//	func main() { fairdeal.Main(first{}, fairdeal.WithMatches(1)) }
//
// [Main] is for a program that is nothing but a bot; [Run] is the same for one that does more. What a bot is told are
// the messages of the protocol, in package fairdealv1; their comments are its contract.
package fairdeal

//go:generate go -C tools run ./protogen
