/** The counts of the outcomes of calls. */

export interface Tally {
  sent: number
  right: number
  wrong: number
  readonly refused: Map<string, number>
  readonly lost: Map<string, number>
  /** Descriptions of the first wrong answers. */
  readonly examples: Array<string>
}

export const make = (): Tally => ({ sent: 0, right: 0, wrong: 0, refused: new Map(), lost: new Map(), examples: [] })

export const count = (counts: Map<string, number>, name: string, by = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

/** Returns the sum of tallies. */
export const sum = (tallies: ReadonlyArray<Tally>): Tally => {
  const all = make()
  for (const { examples, lost, refused, right, sent, wrong } of tallies) {
    all.sent += sent
    all.right += right
    all.wrong += wrong
    all.examples.push(...examples)
    for (const [name, by] of refused) count(all.refused, name, by)
    for (const [name, by] of lost) count(all.lost, name, by)
  }
  return all
}
