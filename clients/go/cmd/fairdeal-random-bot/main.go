// Command fairdeal-random-bot plays any of the games at random.
//
// Exit status 0: it has left; 1: the session failed; 2: a wrong setting.
package main

import (
	"fmt"
	"os"

	fairdeal "github.com/fairdeal/fairdeal/clients/go"
)

func main() {
	parsed, err := parse(os.Args[1:], os.LookupEnv)
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "fairdeal-random-bot: %v\n", err)
		os.Exit(2)
	case parsed.wantsUsage:
		fmt.Print(usage)
	case parsed.isTelling:
		fairdeal.Main(telling{out: os.Stdout}, parsed.options...)
	default:
		fairdeal.Main(random{}, parsed.options...)
	}
}
