/** Metrics of webhooks: the tries of this process, and the positions of the receivers, which all processes share. */
import type { MetricFamily } from "@plumbline/gateway/meters/MetricFamily"

import type { DeliveryCursor } from "./deliveryCursors.ts"

/** The counts of one receiver in this process. `lost` counts events that the receiver never got. */
export interface WebhookTries {
  delivered: number
  failed: number
  lost: number
}

/** The counts of each receiver since the process began. */
export class WebhookCounts {
  readonly #counts = new Map<string, WebhookTries>()

  constructor(names: ReadonlyArray<string>) {
    this.keep(names)
  }

  get all(): ReadonlyMap<string, WebhookTries> {
    return this.#counts
  }

  of(name: string): WebhookTries {
    const found = this.#counts.get(name) ?? { delivered: 0, failed: 0, lost: 0 }
    this.#counts.set(name, found)
    return found
  }

  /** Sets the counts of new receivers to zero, and drops the counts of removed receivers. */
  keep(names: ReadonlyArray<string>): void {
    for (const name of names) this.of(name)
    for (const name of this.#counts.keys()) if (!names.includes(name)) this.#counts.delete(name)
  }
}

/** Returns the metrics. If the database does not answer, `places` is undefined, and only the tries are reported. */
export const of = (
  tries: ReadonlyMap<string, WebhookTries>,
  places: { readonly places: ReadonlyArray<DeliveryCursor>; readonly last: number } | undefined,
  now: number
): ReadonlyArray<MetricFamily> => {
  const counted = (name: string, help: string, key: keyof WebhookTries): MetricFamily => ({
    name,
    type: "counter",
    help,
    samples: [...tries].map(([webhook, counts]) => ({ labels: { webhook }, value: counts[key] }))
  })
  const shared = (name: string, help: string, read: (place: DeliveryCursor) => number): MetricFamily => ({
    name,
    type: "gauge",
    help,
    samples: (places?.places ?? [])
      .filter((place) => tries.has(place.name))
      .map((place) => ({ labels: { webhook: place.name }, value: read(place) }))
  })
  return [
    counted("plumbline_webhook_deliveries_total", "Events that this process delivered to a receiver.", "delivered"),
    counted("plumbline_webhook_failures_total", "Failed tries of this process to deliver an event.", "failed"),
    counted("plumbline_webhook_lost_events_total", "Events that were deleted before they were delivered.", "lost"),
    shared("plumbline_webhook_waiting_events", "Events that are not delivered yet, by any process.", (place) =>
      Math.max(0, (places?.last ?? 0) - Number(place.after_id))
    ),
    shared(
      "plumbline_webhook_oldest_event_seconds",
      "Age of the oldest waiting event; 0 if none waits.",
      ({ oldest }) => (oldest === null ? 0 : Math.max(0, now - Number(oldest)) / 1000)
    )
  ]
}
