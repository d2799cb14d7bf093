/** Counts the blocks of DAGs as Kubo's `dag/stat` does. Source: kubo 0.43 `core/commands/dag/stat.go`. */
import * as Cid from "../cid/Cid.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"

interface Counted {
  readonly cid: Cid.CidText
  size: number
  blocks: number
}

/** The counts of several DAGs. A block that several DAGs share counts once in the total. */
export class DagCount {
  readonly #dags: Array<Counted> = []
  /** The blocks of all DAGs; only kept for several DAGs, because within one DAG no block comes twice. */
  readonly #seen: Set<string> | undefined
  #total = 0
  #redundant = 0

  constructor(dags: number) {
    this.#seen = dags > 1 ? new Set() : undefined
  }

  /** Begins the next DAG. */
  begin(cid: Cid.CidText): void {
    this.#dags.push({ cid, size: 0, blocks: 0 })
  }

  /** Counts a block of the DAG, and returns the counts so far. */
  add(cid: Cid.Cid, size: number): IpfsApi.DagStat {
    const dag = this.#dags.at(-1)!
    dag.size += size
    dag.blocks++
    this.#redundant += size
    const before = this.#seen?.size
    if (this.#seen?.add(`${cid.code} ${Cid.key(cid)}`).size !== before || before === undefined) this.#total += size
    return this.#counts()
  }

  /** Returns the complete counts. */
  end(): IpfsApi.DagStat {
    const unique = this.#seen?.size ?? this.#dags.reduce((sum, { blocks }) => sum + blocks, 0)
    return nonZero({
      ...this.#counts(),
      uniqueBlocks: unique,
      sharedSize: this.#redundant - this.#total,
      // Kubo computes with 32 bits
      ratio: this.#total === 0 ? 0 : Number(Math.fround(this.#redundant / this.#total).toPrecision(8))
    })
  }

  #counts(): IpfsApi.DagStat {
    return nonZero({ totalSize: this.#total, dags: this.#dags.map((dag) => nonZero({ ...dag })) })
  }
}

/** Returns an object without its zeros, which Go leaves out. */
const nonZero = <A extends object>(counts: A): A =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as A
