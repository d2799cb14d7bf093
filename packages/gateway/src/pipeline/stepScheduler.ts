/**
 * Turns: work on packets and on blocks of IPFS runs in steps, and the event loop runs between them.
 *
 * Reading and checking a packet blocks the process, and so does reading the links or the values of a block. All such
 * work in one turn of the event loop shares a time budget.
 * If some of the budget is left, a packet is read at once. That is the case for nearly all packets. The others wait:
 * their steps run in later turns, one project after another. So a project that sends many large packets delays only
 * itself.
 *
 * Receiving a large message takes time too, and `ws` does it in a single step. This time is taken from the same budget
 * (`spend`). While the budget of a turn is used up, such messages wait (`wait`). Every second turn is then for waiting
 * messages only.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Work in steps. `step` returns undefined until the last step. A step that throws ends the job as a defect. */
export interface SteppedJob<A> {
  readonly step: () => A | undefined
}

/** Runs a step. Returns the exit of the job, or undefined if the job needs more steps. */
const stepOf = <A>(job: SteppedJob<A>): Exit.Exit<A> | undefined => {
  try {
    const value = job.step()
    return value === undefined ? undefined : Exit.succeed(value)
  } catch (defect) {
    // A throw would end the turn, and this job would stay the first of the queue for ever.
    return Exit.die(defect)
  }
}

/** The time budget of one turn in milliseconds. A turn ends after the step that uses it up. */
const TURN = 10

/** The part of a budget that the packets of several turns may share, in milliseconds. */
const SHARED = 1

export class StepScheduler {
  readonly #now: () => number
  readonly #later: (callback: () => void) => void
  /** The waiting jobs of each project, the oldest first. The order of the keys is the order of the projects' turns. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  /** Milliseconds of the current turn's budget that are used. */
  #used = 0
  #isScheduled = false
  /** Input that waits, the oldest first. */
  #inputs: Array<() => void> = []
  /** True if the last turn belonged to input. */
  #gaveWay = false
  #onSpent: () => void = () => undefined

  /** `later` runs a callback after the event loop has processed new input. */
  constructor(
    now: () => number = () => performance.now(),
    later: (callback: () => void) => void = (callback) => void setImmediate(callback)
  ) {
    this.#now = now
    this.#later = later
  }

  /**
   * Runs a job of a project. Returns an exit if the job is done at once. A job whose fiber is interrupted does no further
   * step.
   */
  run<A>(project: string, job: SteppedJob<A>): Effect.Effect<A> {
    try {
      const value = this.runNow(job)
      if (value !== undefined) return Exit.succeed(value)
    } catch (defect) {
      return Exit.die(defect)
    }
    return Effect.callback<A>((resume) => {
      const abandon = this.runLater(project, job, resume)
      return Effect.sync(abandon)
    })
  }

  /**
   * Runs a job if some of the budget is left, and returns its value. Returns undefined if the job needs further turns.
   * Throws what a step throws.
   */
  runNow<A>(job: SteppedJob<A>): A | undefined {
    if (this.#waiting.size > 0 || this.#used >= TURN) return undefined
    const start = this.#now()
    let spent = 0
    try {
      for (;;) {
        const value = job.step()
        spent = this.#now() - start
        if (value !== undefined || this.#used + spent >= TURN) return value
      }
    } finally {
      this.spend(spent)
    }
  }

  /** Runs a job in later turns, and calls `done` with its exit. The returned function abandons the job. */
  runLater<A>(project: string, job: SteppedJob<A>, done: (exit: Exit.Exit<A>) => void): () => void {
    let isAbandoned = false
    const waiting: Waiting = {
      step: () => {
        if (isAbandoned) return true
        const exit = stepOf(job)
        if (exit === undefined) return false
        done(exit)
        return true
      }
    }
    const own = this.#waiting.get(project)
    if (own === undefined) this.#waiting.set(project, [waiting])
    else own.push(waiting)
    this.#schedule()
    return () => {
      isAbandoned = true
    }
  }

  /** True if the budget of the current turn is used up. */
  get isSpent(): boolean {
    return this.#used >= TURN
  }

  /** Registers a callback that runs each time the budget of a turn is used up. */
  onSpent(callback: () => void): void {
    this.#onSpent = callback
  }

  /**
   * Uses budget of the current turn for work that was already done. The callback that begins a turn costs more than a
   * small packet, so it waits until a tenth of the budget is used: then packets of several turns share one budget.
   */
  spend(millis: number): void {
    this.#used += millis
    if (this.#used >= SHARED) this.#schedule()
    if (this.isSpent) this.#onSpent()
  }

  /** Queues the callback, and runs it in a turn that is reserved for input. */
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
    // Input gets at most every second turn while jobs wait, so that both continue.
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
      // Moves the project to the end of the queue, so that the next project runs its step.
      this.#waiting.delete(project)
      if (own.length > 0) this.#waiting.set(project, own)
      this.#used = this.#now() - start
      if (this.#used >= TURN) break
    }
    // A used budget also needs another turn, which resets it.
    if (this.#waiting.size > 0 || this.#inputs.length > 0 || this.#used >= SHARED) this.#schedule()
    if (this.isSpent) this.#onSpent()
  }
}

interface Waiting {
  /** Runs a step. Returns true when the job is done. */
  readonly step: () => boolean
}
