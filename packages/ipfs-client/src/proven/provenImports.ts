/** Imports CARs. The node's answer must agree with the upload; nothing proves that a root is pinned. */
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as CarParser from "../car/carParser.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { AnyClient } from "../client/IpfsClient.ts"
import { IpfsError, ProtocolError } from "../client/IpfsError.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import type * as Upload from "../commands/Upload.ts"

type Imports = Pick<AnyClient, "dagImport">

export const make = (ipfs: AnyClient): Imports => ({
  dagImport: (car, options = {}) =>
    Stream.suspend(() => {
      const sent = new Sent()
      const pinsRoots = options.pinRoots ?? options.localOnly !== true
      const answers = ipfs.dagImport(sent.watch(car), options)
      const missing = Effect.suspend(() => sent.missing(pinsRoots, options.stats === true))
      return Stream.concat(
        Stream.tap(answers, (answer) => sent.check(answer)),
        Stream.fromEffectDrain(missing)
      )
    })
})

/** The uploaded CAR. It is parsed while it is sent. Its blocks are not checked here, because the node checks them. */
class Sent {
  #parser = parserOf()
  #roots: ReadonlyArray<Cid.Cid> | undefined
  #blocks = 0
  #bytes = 0
  /**
   * True if the rest cannot be parsed here. The node then refuses it, or accepts a form that only the node can read.
   */
  #isBroken = false
  readonly #said = new Set<string>()
  #hasStats = false

  watch<E>(car: Upload.FileContent<E>): Upload.FileContent<E> {
    if (Stream.isStream(car)) return Stream.tap(car, (piece) => Effect.sync(() => this.#read(piece)))
    if (car instanceof Uint8Array) this.#read(car)
    else if (typeof car === "string") this.#read(new TextEncoder().encode(car))
    else {
      return Stream.tap(
        Stream.fromReadableStream({
          evaluate: () => car.stream(),
          // The platform's message could contain the name of a file, so it is not used.
          onError: () =>
            new IpfsError({ command: "dag/import", reason: new ProtocolError({ detail: "the file cannot be read" }) })
        }) as Stream.Stream<Uint8Array, E>,
        (piece) => Effect.sync(() => this.#read(piece))
      )
    }
    return car
  }

  #read(piece: Uint8Array): void {
    if (this.#isBroken) return
    this.#parser.push(piece)
    for (let item = this.#parser.next(); item !== undefined; item = this.#parser.next()) {
      if (item._tag === "CarError") {
        this.#isBroken = true
        return
      }
      if (item._tag === "Roots") this.#roots = item.roots
      else {
        this.#blocks++
        this.#bytes += item.bytes.length
      }
    }
  }

  check(answer: IpfsApi.Imported): Effect.Effect<void, RefutedError | UnprovenError> {
    return Effect.suspend((): Effect.Effect<void, RefutedError | UnprovenError> => {
      if (answer.root !== undefined) {
        const { cid } = answer.root
        const key = keyOf(Cid.fromTextUnsafe(cid))
        this.#said.add(key)
        if (this.#roots === undefined) return Effect.fail(unproven(cid, IpfsReason.NoCar({ said: "root" })))
        return this.#roots.some((root) => keyOf(root) === key)
          ? Effect.void
          : Effect.fail(refuted("imported root", this.#roots.map((root) => Cid.toText(root)).join(", "), cid))
      }
      this.#hasStats = true
      if (this.#isBroken) return Effect.fail(unproven("dag/import", IpfsReason.NoCar({ said: "sums" })))
      const { blocks, bytes } = answer.stats
      return blocks === this.#blocks && bytes === this.#bytes
        ? Effect.void
        : Effect.fail(refuted("imported sums", sums(this.#blocks, this.#bytes), sums(blocks, bytes)))
    })
  }

  /** Fails if the answer lacks a root that was to be pinned, or the totals that the caller requested. */
  missing(pinsRoots: boolean, wantsStats: boolean): Effect.Effect<void, IpfsError> {
    const lacking = pinsRoots && (this.#roots ?? []).some((root) => !this.#said.has(keyOf(root)))
    return lacking || (wantsStats && !this.#hasStats)
      ? Effect.fail(
          new IpfsError({
            command: "dag/import",
            reason: new ProtocolError({ detail: "the answer lacks something that was imported" })
          })
        )
      : Effect.void
  }
}

const parserOf = () => CarParser.make({ maxBlockSize: MAX_SIZE, maxHeaderSize: MAX_SIZE })

/**
 * Maximum number of bytes of a block. A node accepts larger blocks only on request. For a CAR with larger blocks, the
 * client computes no totals.
 */
const MAX_SIZE = 64 * 1024 * 1024

const keyOf = (cid: Cid.Cid): string => Cid.toText(Cid.toV1(cid))

const sums = (blocks: number, bytes: number): string => `${blocks} blocks, ${bytes} bytes`

const refuted = (check: string, expected: string, got: string): RefutedError =>
  new RefutedError({ subject: "dag/import", check, expected: expected.slice(0, 1000), got })
