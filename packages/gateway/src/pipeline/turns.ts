/**
 * Turns: work on packets runs in steps, and the event loop has its turn between them.
 *
 * Reading and checking a packet blocks the process. All such work of one turn of the event loop shares a time budget. A
 * packet that arrives while some is left is read at once, as nearly all are. The others wait: their steps run in later
 * turns, one project after the other, so a project that sends many large packets delays only itself.
 *
 * The receiving of large messages shares the budget (`spend`): it takes time too, but `ws` does it in a single step.
 * While the budget of a turn is used up, such input waits (`wait`), and then has every second turn to itself.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Work in steps; `undefined` until the last of them. It must not throw. */
export interface Job<A> {
  readonly step: () => A | undefined
}

/** Milliseconds of one turn. A turn ends after the step in which this time is used up. */
const TURN = 10

export class Turns {
  readonly #now: () => number
  readonly #later: (callback: () => void) => void
  /** Waiting jobs of each project, in the order of arrival. The map keeps the order of the projects. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  /** Milliseconds of this turn that are used. */
  #used = 0
  #isScheduled = false
  /** Input that waits, in the order of arrival. */
  #inputs: Array<() => void> = []
  /** True if the present turn belongs to input. */
  #gaveWay = false
  #onSpent: () => void = () => undefined

  /** `later` calls back after the event loop has processed new input. */
  constructor(
    now: () => number = () => performance.now(),
    later: (callback: () => void) => void = (callback) => void setImmediate(callback)
  ) {
    this.#now = now
    this.#later = later
  }

  /** Runs a job of a project; an exit if it could be done at once. */
  run<A>(project: string, job: Job<A>): Effect.Effect<A> {
    if (this.#waiting.size === 0 && this.#used < TURN) {
      const start = this.#now()
      let value = job.step()
      let spent = this.#now() - start
      while (value === undefined && this.#used + spent < TURN) {
        value = job.step()
        spent = this.#now() - start
      }
      this.spend(spent)
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

  /** True if no more work is to begin in this turn. */
  get isSpent(): boolean {
    return this.#used >= TURN
  }

  /** Calls back whenever the budget of a turn is used up. */
  onSpent(callback: () => void): void {
    this.#onSpent = callback
  }

  /** Takes time from the budget of this turn, for work that is done already. */
  spend(millis: number): void {
    this.#used += millis
    this.#schedule()
    if (this.isSpent) this.#onSpent()
  }

  /** Calls back in a turn that has its budget for input. */
  wait(resume: () => void): void {
    this.#inputs.push(resume)
    this.#schedule()
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
    // Every second turn at most, so that neither waits for ever.
    this.#gaveWay = this.#inputs.length > 0 && (!this.#gaveWay || this.#waiting.size === 0)
    if (this.#gaveWay) {
      for (const resume of this.#inputs.splice(0)) resume()
      return this.#schedule()
    }
    for (;;) {
      const next = this.#waiting.entries().next()
      if (next.done === true) break
      const [project, own] = next.value
      const isDone = own[0]!.step()
      if (isDone) own.shift()
      // At the end of the queue: each project runs one step per turn.
      this.#waiting.delete(project)
      if (own.length > 0) this.#waiting.set(project, own)
      this.#used = this.#now() - start
      if (this.#used >= TURN) break
    }
    // Also to give the next turn its whole time.
    if (this.#waiting.size > 0 || this.#inputs.length > 0 || this.#used > 0) this.#schedule()
    if (this.isSpent) this.#onSpent()
  }
}

interface Waiting {
  /** Runs a step. Returns true when the job is done. */
  readonly step: () => boolean
}
