package io.github.fairdeal;

import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.Ready;
import java.util.ArrayList;
import java.util.List;

/** Requests as frames of a size that the referee takes. */
final class Frames {
    private static final int ITEM_OVERHEAD = 4; // bytes around an item: its tag and its length, below 32 KiB
    private static final int FRAME_OVERHEAD = 16; // bytes of a frame besides its items

    private Frames() {}

    /** Returns a request in parts of at most {@code limit} bytes, each an acknowledgement, goodbye in the last. */
    static List<PlayRequest> split(PlayRequest request, int limit) {
        if (request.getSerializedSize() <= limit) {
            return List.of(request);
        }
        Parts parts = new Parts(request.getFramesReceived(), limit);
        for (Ready ready : request.getReadyList()) {
            parts.room(ready.getSerializedSize()).addReady(ready);
        }
        for (io.github.fairdeal.v1.Answer answer : request.getAnswersList()) {
            parts.room(answer.getSerializedSize()).addAnswers(answer);
        }
        parts.part.setNoMoreMatches(request.getNoMoreMatches());
        if (request.hasBye()) {
            parts.part.setBye(request.getBye());
        }
        parts.end();
        return parts.done;
    }

    private static final class Parts {
        final List<PlayRequest> done = new ArrayList<>();
        private final long framesReceived;
        private final int limit;
        PlayRequest.Builder part;
        private int size;

        Parts(long framesReceived, int limit) {
            this.framesReceived = framesReceived;
            this.limit = limit;
            begin();
        }

        /** Returns the part that an item of so many bytes goes into. */
        PlayRequest.Builder room(int bytes) {
            int added = bytes + ITEM_OVERHEAD;
            if (size + added > limit && size > FRAME_OVERHEAD) {
                end();
                begin();
            }
            size += added;
            return part;
        }

        void end() {
            done.add(part.build());
        }

        private void begin() {
            part = PlayRequest.newBuilder().setFramesReceived(framesReceived);
            size = FRAME_OVERHEAD;
        }
    }
}
