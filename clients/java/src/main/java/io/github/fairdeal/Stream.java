package io.github.fairdeal;

import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.PlayServiceGrpc;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;

/** One stream over a channel of its own; its listener is called from the network's thread. */
final class Stream implements StreamObserver<PlayResponse> {
    /** Who hears what comes. */
    interface Listener {
        /** Hears a frame. */
        void received(Stream from, PlayResponse frame);

        /** Hears why the stream has ended, after which nothing comes. */
        void ended(Stream from, FairdealException why);

        /** Returns whether the referee has welcomed the bot. */
        boolean isWelcomed();
    }

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;
    private final Settings settings;
    private final Listener listener;
    private ClientCallStreamObserver<PlayRequest> requests;

    Stream(ManagedChannel channel, Settings settings, Listener listener) {
        this.channel = channel;
        this.settings = settings;
        this.listener = listener;
    }

    /** Dials; where nobody answers, the stream ends at once. */
    void open() {
        PlayServiceGrpc.PlayServiceStub stub = PlayServiceGrpc.newStub(channel);
        if (!settings.token().isEmpty()) {
            Metadata metadata = new Metadata();
            metadata.put(AUTHORIZATION, "Bearer " + settings.token());
            stub = stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
        }
        requests = (ClientCallStreamObserver<PlayRequest>) stub.play(this);
    }

    void write(PlayRequest request) {
        requests.onNext(request);
    }

    void finishWriting() {
        requests.onCompleted();
    }

    /** Returns whether the referee was reached. */
    boolean isThere() {
        return channel.getState(false) == ConnectivityState.READY;
    }

    /** Ends the stream, if it has not ended, and its channel. */
    void close() {
        channel.shutdownNow();
    }

    @Override
    public void onNext(PlayResponse frame) {
        listener.received(this, frame);
    }

    @Override
    public void onError(Throwable error) {
        Metadata trailers = Status.trailersFromThrowable(error);
        listener.ended(
                this, Endings.meaning(Status.fromThrowable(error), trailers, settings, listener.isWelcomed()));
    }

    @Override
    public void onCompleted() {
        listener.ended(this, Endings.completed(settings, listener.isWelcomed()));
    }
}
