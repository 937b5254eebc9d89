package io.github.fairdeal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

/**
 * Replaces what the first and the second SIGINT or SIGTERM do; those that follow do what they do by default.
 *
 * <p>{@code sun.misc.Signal} is the only way to be told of a signal and to go on. The compiler warns of it wherever it
 * is named, and not every Java has it, so it is looked up.
 */
final class Signals {
    private final Map<Object, Object> before = new HashMap<>(); // handlers by signal
    private Method handle;
    private boolean isSecond;

    private Signals() {}

    /** Calls these at the first and the second signal, until restored; where signals cannot be handled, never. */
    static Signals handle(Runnable first, Runnable second) {
        Signals signals = new Signals();
        try {
            signals.install(first, second);
        } catch (ReflectiveOperationException error) {
            // this Java has none, or keeps them to itself (-Xrs): they end it
        }
        return signals;
    }

    /** Has signals do what they did before. */
    void restore() {
        before.forEach(this::set);
    }

    private void install(Runnable first, Runnable second) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        Object byDefault = handlerType.getField("SIG_DFL").get(null);
        Object handler =
                Proxy.newProxyInstance(
                        handlerType.getClassLoader(),
                        new Class<?>[] {handlerType},
                        (proxy, method, arguments) -> {
                            if (isFirst()) {
                                first.run();
                            } else {
                                before.keySet().forEach(signal -> set(signal, byDefault));
                                second.run();
                            }
                            return null;
                        });
        handle = type.getMethod("handle", type, handlerType);
        for (String name : new String[] {"INT", "TERM"}) {
            Object signal = type.getConstructor(String.class).newInstance(name);
            before.put(signal, handle.invoke(null, signal, handler));
        }
    }

    /** Returns whether it is called for the first time; each signal has a thread of its own. */
    private synchronized boolean isFirst() {
        boolean isFirst = !isSecond;
        isSecond = true;
        return isFirst;
    }

    private void set(Object signal, Object handler) {
        try {
            handle.invoke(null, signal, handler);
        } catch (IllegalAccessException | InvocationTargetException error) {
            throw new IllegalStateException(error); // it could be handled before
        }
    }
}
