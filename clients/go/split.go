package fairdeal

import (
	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/proto"
)

const (
	itemOverhead  = 4  // bytes around an item of a frame: its tag and its length, below 32 KiB
	frameOverhead = 16 // bytes of a frame besides its items
)

// split returns a request in parts of at most limit bytes, goodbye in the last.
func split(request *fairdealv1.PlayRequest, limit int) []*fairdealv1.PlayRequest {
	if proto.Size(request)+frameOverhead <= limit {
		return []*fairdealv1.PlayRequest{request}
	}
	var parts []*fairdealv1.PlayRequest
	part, size := &fairdealv1.PlayRequest{}, frameOverhead
	add := func(item proto.Message) {
		added := proto.Size(item) + itemOverhead
		if size+added > limit && size > frameOverhead {
			parts = append(parts, part)
			part, size = &fairdealv1.PlayRequest{}, frameOverhead
		}
		size += added
	}
	for _, ready := range request.GetReady() {
		add(ready)
		part.Ready = append(part.Ready, ready)
	}
	for _, answer := range request.GetAnswers() {
		add(answer)
		part.Answers = append(part.Answers, answer)
	}
	part.NoMoreMatches = request.GetNoMoreMatches()
	part.Bye = request.GetBye()
	return append(parts, part)
}
