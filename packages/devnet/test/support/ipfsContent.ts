/** Makes content as Kubo's own tests do, and adds it. Programs other than tests use it too. */
import { createCipheriv, createHash } from "node:crypto"

import type { IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

/** Adds the entries, and returns the node's answers without its progress reports. */
export const addAll = <E>(
  node: IpfsNode.IpfsNodeCommands,
  entries: Iterable<IpfsNode.AddEntry<E>> | Stream.Stream<IpfsNode.AddEntry<E>, E>,
  options?: IpfsNode.AddOptions
): Effect.Effect<ReadonlyArray<IpfsNode.AddedEntry>, E | IpfsNodeError.IpfsNodeError> =>
  node.add(entries, options).pipe(
    Stream.filter((out) => out._tag === "Added"),
    Stream.runCollect
  )

/** Returns the text of the CID of one file. */
export const addOne = (
  node: IpfsNode.IpfsNodeCommands,
  content: string | Uint8Array | Stream.Stream<Uint8Array>,
  options?: IpfsNode.AddOptions
): Effect.Effect<string, IpfsNodeError.IpfsNodeError> =>
  Effect.map(addAll(node, [{ content: typeof content === "string" ? utf8(content) : content }], options), ([added]) =>
    String(added!.cid)
  )

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * Returns the key stream of `DeterministicRandomReader` in Kubo's tests: ChaCha20 with the hash of a seed as its key.
 */
export const keyStream = (seed: string): ((size: number) => Buffer) => {
  const cipher = createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16))
  return (size) => cipher.update(Buffer.alloc(size))
}

/** Returns `size` bytes of the key stream, in uneven pieces. */
export const random = (seed: string, size: number): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const next = keyStream(seed)
    return Stream.unfold(size, (rest) => {
      const some = Math.min(rest, 100_003)
      return Effect.succeed(rest === 0 ? undefined : ([next(some), rest - some] as const))
    })
  })
