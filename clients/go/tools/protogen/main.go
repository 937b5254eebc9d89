// Command protogen writes the Go code of the protocol, without protoc on the machine.
//
// Run as `go generate ./...` in the kit's folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	protoFolder = "../../../proto" // from the folder of the tools module
	kitFolder   = ".."
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run() error {
	files, err := generate(protoFolder)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(kitFolder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
