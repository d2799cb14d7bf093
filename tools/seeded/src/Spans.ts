/** A tracer that keeps its spans, for tests. */
import * as Tracer from "effect/Tracer"

/** A tracer, and the spans that began in it so far. */
export interface Collecting {
  readonly spans: ReadonlyArray<Tracer.NativeSpan>
  readonly tracer: Tracer.Tracer
}

/** Returns a tracer that keeps its spans. */
export const collecting = (): Collecting => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}
