/**
 * The memory of the cache: the holders of keys, found by key, project or account.
 *
 * Keys without a holder are stored separately, so a caller that guesses keys cannot evict the holders of real keys.
 */
import type { KeyHolder } from "./Account.ts"

/** The entries that a change invalidates: one key, the keys of one project, the keys of all projects of one account. */
export interface Invalidation {
  readonly account?: string | null
  readonly project?: string | null
  /** The digest of a key. A change that creates a key sets it, because the key may be cached as unknown. */
  readonly digest?: string | null
}

export interface FoundHolder {
  readonly holder: KeyHolder
  /**
   * Time at which the card of the holder's account expires, in milliseconds since 1970 UTC. From then on the stored
   * holder is out of date.
   */
  readonly until: number
}

export interface RememberedHolder {
  readonly found: FoundHolder | undefined
  /** Time at which the query was sent, in nanoseconds of a monotonic clock. */
  readonly at: bigint
}

/** Maximum number of stored keys with a holder, and of stored keys without a holder. */
const CAPACITY = 10_000

export class HolderMemory {
  readonly #holders = new Map<string, RememberedHolder>()
  readonly #nobody = new Map<string, RememberedHolder>()
  /** The answers in `#holders`, by their holder. */
  readonly #answers = new WeakMap<KeyHolder, RememberedHolder>()
  readonly #projects = new Index()
  readonly #accounts = new Index()

  get(digest: string): RememberedHolder | undefined {
    return this.#holders.get(digest) ?? this.#nobody.get(digest)
  }

  /** Returns the stored answer with this very holder. */
  of(holder: KeyHolder): RememberedHolder | undefined {
    return this.#answers.get(holder)
  }

  /** Stores an answer. If there are too many answers of that kind, with or without a holder, the oldest is dropped. */
  keep(digest: string, kept: RememberedHolder): void {
    this.#delete(digest)
    const where = kept.found === undefined ? this.#nobody : this.#holders
    for (const oldest of where.size >= CAPACITY ? where.keys() : []) {
      this.#delete(oldest)
      break
    }
    where.set(digest, kept)
    if (kept.found === undefined) return
    this.#answers.set(kept.found.holder, kept)
    this.#projects.add(kept.found.holder.project.id, digest)
    this.#accounts.add(kept.found.holder.account.id, digest)
  }

  drop({ account, digest, project }: Invalidation): void {
    if (typeof digest === "string") this.#delete(digest)
    if (typeof project === "string") for (const one of this.#projects.of(project)) this.#delete(one)
    if (typeof account === "string") for (const one of this.#accounts.of(account)) this.#delete(one)
  }

  #delete(digest: string): void {
    this.#nobody.delete(digest)
    const found = this.#holders.get(digest)?.found
    if (found === undefined) return
    this.#holders.delete(digest)
    this.#answers.delete(found.holder)
    this.#projects.delete(found.holder.project.id, digest)
    this.#accounts.delete(found.holder.account.id, digest)
  }
}

/** True if the change may make this answer about a key wrong. */
export const isConcerned = (
  { account, digest, project }: Invalidation,
  asked: string,
  found: FoundHolder | undefined
): boolean =>
  digest === asked ||
  (found !== undefined && (project === found.holder.project.id || account === found.holder.account.id))

/** The digests of keys by the id of their project or account. */
class Index {
  readonly #digests = new Map<string, Set<string>>()

  of(id: string): Iterable<string> {
    return this.#digests.get(id) ?? []
  }

  add(id: string, digest: string): void {
    const known = this.#digests.get(id)
    if (known === undefined) this.#digests.set(id, new Set([digest]))
    else known.add(digest)
  }

  delete(id: string, digest: string): void {
    const known = this.#digests.get(id)
    if (known?.delete(digest) === true && known.size === 0) this.#digests.delete(id)
  }
}
