/** Metrics of webhooks: the tries of this process, and the places of the receivers, which all processes share. */
import type { Family } from "../meters/Family.ts"
import type { Place } from "./places.ts"

/** The tries of a receiver by this process, and the events that it never got. */
export interface Tries {
  delivered: number
  failed: number
  lost: number
}

/** The tries of each receiver since the process began. */
export class Counts {
  readonly #counts = new Map<string, Tries>()

  constructor(names: ReadonlyArray<string>) {
    this.keep(names)
  }

  get all(): ReadonlyMap<string, Tries> {
    return this.#counts
  }

  of(name: string): Tries {
    const found = this.#counts.get(name) ?? { delivered: 0, failed: 0, lost: 0 }
    this.#counts.set(name, found)
    return found
  }

  /** Begins the counts of new receivers at zero, and drops those of receivers that were removed. */
  keep(names: ReadonlyArray<string>): void {
    for (const name of names) this.of(name)
    for (const name of this.#counts.keys()) if (!names.includes(name)) this.#counts.delete(name)
  }
}

/** Returns the families. `places` is undefined if the database does not answer: then only tries are told. */
export const of = (
  tries: ReadonlyMap<string, Tries>,
  places: { readonly places: ReadonlyArray<Place>; readonly last: number } | undefined,
  now: number
): ReadonlyArray<Family> => {
  const counted = (name: string, help: string, key: keyof Tries): Family => ({
    name,
    type: "counter",
    help,
    samples: [...tries].map(([webhook, counts]) => ({ labels: { webhook }, value: counts[key] }))
  })
  const shared = (name: string, help: string, read: (place: Place) => number): Family => ({
    name,
    type: "gauge",
    help,
    samples: (places?.places ?? [])
      .filter((place) => tries.has(place.name))
      .map((place) => ({ labels: { webhook: place.name }, value: read(place) }))
  })
  return [
    counted("plumbline_webhook_deliveries_total", "Events that a receiver has taken from this process.", "delivered"),
    counted("plumbline_webhook_failures_total", "Tries of this process that a receiver did not take.", "failed"),
    counted("plumbline_webhook_lost_events_total", "Events that left the table before their delivery.", "lost"),
    shared("plumbline_webhook_waiting_events", "Events that a receiver has not taken yet, from any process.", (place) =>
      Math.max(0, (places?.last ?? 0) - Number(place.after_id))
    ),
    shared(
      "plumbline_webhook_oldest_event_seconds",
      "Age of the oldest event that waits; 0 if none does.",
      ({ oldest }) => (oldest === null ? 0 : Math.max(0, now - Number(oldest)) / 1000)
    )
  ]
}
