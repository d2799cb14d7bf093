/** Listeners, grouped by the name of their event. */

export interface Listeners {
  readonly add: (event: string, listener: Listener) => void
  readonly remove: (event: string, listener: Listener) => void
  readonly emit: (event: string, payload: unknown) => void
}

type Listener = (payload: any) => void

export const listeners = (): Listeners => {
  const byEvent = new Map<string, Array<Listener>>()
  return {
    add: (event, listener) => {
      byEvent.set(event, [...(byEvent.get(event) ?? []), listener])
    },
    remove: (event, listener) => {
      const known = byEvent.get(event) ?? []
      const at = known.indexOf(listener)
      if (at !== -1) byEvent.set(event, known.toSpliced(at, 1))
    },
    // A listener's error belongs to the program, so it is thrown outside the call that waits for an answer.
    emit: (event, payload) => {
      for (const listener of byEvent.get(event) ?? []) {
        try {
          listener(payload)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    }
  }
}
