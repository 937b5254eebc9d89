package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCommittedCodeIsWhatTheProtoFilesGive(t *testing.T) {
	fromHere := func(folder string) string { return filepath.Join("..", folder) } // tests run in their package
	files, err := generate(fromHere(protoFolder))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		committed, err := os.ReadFile(filepath.Join(fromHere(kitFolder), name))
		if err != nil || string(committed) != content {
			t.Errorf("%s: is not what proto/ gives (%v); run `go generate ./...` in clients/go", name, err)
		}
	}
	present, err := filepath.Glob(filepath.Join(fromHere(kitFolder), "fairdealv1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(present) != len(files) {
		t.Errorf("fairdealv1 holds %d files, not %d: remove what no proto file gives", len(present), len(files))
	}
}
