package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// The folder of the generated code is what follows this in the proto files' go_package.
const module = "github.com/fairdeal/fairdeal/clients/go"

var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc"}

// generate returns the code for the proto files in a folder, by the file's name in the kit's folder.
func generate(folder string) (map[string]string, error) {
	request, err := compile(folder)
	if err != nil {
		return nil, err
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, plugin := range plugins {
		response, err := call(plugin, input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", plugin, err)
		}
		for _, file := range response.GetFile() {
			files[file.GetName()] = file.GetContent()
		}
	}
	return files, nil
}

// compile returns what a plugin of protoc is asked for all proto files in a folder.
func compile(folder string) (*pluginpb.CodeGeneratorRequest, error) {
	names, err := protoFiles(folder)
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{folder}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // the comments go into the code
	}
	compiled, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: proto.String("module=" + module)}
	known := map[string]bool{}
	for _, file := range compiled {
		request.ProtoFile = appendFile(request.ProtoFile, known, file)
	}
	return request, nil
}

func protoFiles(folder string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "fairdeal", "v1", "*.proto"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: holds no proto files", folder)
	}
	for i, name := range names {
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return nil, err
		}
		names[i] = filepath.ToSlash(relative)
	}
	return names, nil
}

// appendFile appends a file after those that it imports, each once.
func appendFile(
	files []*descriptorpb.FileDescriptorProto, known map[string]bool, file protoreflect.FileDescriptor,
) []*descriptorpb.FileDescriptorProto {
	if known[file.Path()] {
		return files
	}
	known[file.Path()] = true
	for i := range file.Imports().Len() {
		files = appendFile(files, known, file.Imports().Get(i).FileDescriptor)
	}
	return append(files, protodesc.ToFileDescriptorProto(file))
}

// call has a plugin, one of the tools of this module, generate code.
func call(plugin string, input []byte) (*pluginpb.CodeGeneratorResponse, error) {
	var output bytes.Buffer
	command := exec.Command("go", "tool", plugin)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &output, os.Stderr
	if err := command.Run(); err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output.Bytes(), &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return &response, nil
}
