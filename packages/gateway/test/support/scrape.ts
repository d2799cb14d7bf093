/** Reads metrics with an independent parser. */
import parse from "parse-prometheus-text-format"

interface Read {
  readonly name: string
  readonly metrics: ReadonlyArray<{
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
  }>
}

/** The families of metrics in a text, by name. */
export class Scrape {
  readonly families: ReadonlyMap<string, Read>

  constructor(text: string) {
    // The parser would merge all histograms of a family into one. Without the TYPE line, it reads the lines of a
    // histogram as plain samples with labels.
    const plain = text.replaceAll(/^# (?:TYPE \S+ histogram|HELP \S+ .*)\n/gmu, "")
    const families = new Map<string, Read>()
    for (const { metrics, name } of parse(plain)) {
      families.set(name, { name, metrics: [...(families.get(name)?.metrics ?? []), ...metrics] })
    }
    this.families = families
  }

  /**
   * Returns the value with these labels, ignoring other labels. If several match, it returns their sum; if none does,
   * undefined.
   */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.#of(this.families.has(name) ? name : `${name}_count`, labels).map(({ value }) => Number(value))
    return found.length === 0 ? undefined : found.reduce((sum, each) => sum + each)
  }

  /** Returns the buckets of the only histogram with these labels, as upper bounds and counts. */
  buckets(name: string, labels: Readonly<Record<string, string>> = {}): ReadonlyArray<readonly [number, number]> {
    return this.#of(`${name}_bucket`, labels)
      .map(
        ({ labels = {}, value }) => [labels["le"] === "+Inf" ? Infinity : Number(labels["le"]), Number(value)] as const
      )
      .sort(([a], [b]) => a - b)
  }

  /** Returns all values of a label. */
  labels(name: string, label: string): ReadonlyArray<string> {
    return [...new Set(this.#of(name, {}).map(({ labels = {} }) => labels[label] ?? ""))].sort()
  }

  #of(name: string, wanted: Readonly<Record<string, string>>): Read["metrics"] {
    return (this.families.get(name)?.metrics ?? []).filter(({ labels = {} }) =>
      Object.entries(wanted).every(([label, value]) => labels[label] === value)
    )
  }
}
