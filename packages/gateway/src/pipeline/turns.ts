/**
 * Turns: work on packets is done in steps, and the event loop has its turn between them.
 *
 * Reading and checking a packet holds the process while it is done. All such work of one turn of the event loop shares one
 * allowance of time. A packet that comes while some is left is read at once, as nearly all are. The others wait: their
 * steps are done in later turns, one project after the other, so a project that sends many large packets waits for itself.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Work in steps; `undefined` until the last of them. It must not throw. */
export interface Job<A> {
  readonly step: () => A | undefined
}

/** Milliseconds of one turn. A turn ends behind the step in which they are used up. */
const TURN = 10

export class Turns {
  readonly #now: () => number
  readonly #later: (callback: () => void) => void
  /** Jobs that wait, of each project, in the order of their coming. Maps keep the order of the projects. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  /** Milliseconds of this turn that are used. */
  #used = 0
  #isScheduled = false

  /** `later` calls back when the event loop has looked for what has come in the meantime. */
  constructor(
    now: () => number = () => performance.now(),
    later: (callback: () => void) => void = (callback) => void setImmediate(callback)
  ) {
    this.#now = now
    this.#later = later
  }

  /** Does a job of a project: an exit if it could be done at once. */
  run<A>(project: string, job: Job<A>): Effect.Effect<A> {
    if (this.#waiting.size === 0 && this.#used < TURN) {
      const start = this.#now()
      let value = job.step()
      let spent = this.#now() - start
      while (value === undefined && this.#used + spent < TURN) {
        value = job.step()
        spent = this.#now() - start
      }
      this.#used += spent
      this.#schedule()
      if (value !== undefined) return Exit.succeed(value)
    }
    return Effect.callback<A>((resume) => {
      const waiting: Waiting = {
        step: () => {
          const value = job.step()
          if (value === undefined) return false
          resume(Exit.succeed(value))
          return true
        }
      }
      const own = this.#waiting.get(project)
      if (own === undefined) this.#waiting.set(project, [waiting])
      else own.push(waiting)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#later(() => {
      this.#isScheduled = false
      this.#turn()
    })
  }

  #turn(): void {
    const start = this.#now()
    this.#used = 0
    for (;;) {
      const next = this.#waiting.entries().next()
      if (next.done === true) break
      const [project, own] = next.value
      const isDone = own[0]!.step()
      if (isDone) own.shift()
      // Behind the others: each project does one step when it is its turn.
      this.#waiting.delete(project)
      if (own.length > 0) this.#waiting.set(project, own)
      this.#used = this.#now() - start
      if (this.#used >= TURN) break
    }
    // Also to give the next turn its whole time.
    if (this.#waiting.size > 0 || this.#used > 0) this.#schedule()
  }
}

interface Waiting {
  /** True when it is done. */
  readonly step: () => boolean
}
