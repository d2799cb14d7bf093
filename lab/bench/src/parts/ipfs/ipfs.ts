/**
 * The rows about IPFS: the clients with a file of 100 MB, the embedded node with many small files, and the lines of an
 * answer.
 */
import { createHash } from "node:crypto"

import { bytes } from "../../inputs/byteInput.ts"
import type { Part, Row } from "../../measure/measuredRow.ts"
import { embedded } from "./embedded.ts"
import { type Contender, kubo, ours, service } from "./ipfsClients.ts"
import { lines } from "./lines.ts"

const PIECE = 262_144
const SIZE = 100_000_000

/** Yields pieces that all differ, so that no node can store two of them as one. */
const pieces = function* (): Generator<Uint8Array> {
  for (let at = 0; at < SIZE; at += PIECE) {
    const piece = Buffer.from(base.subarray(0, Math.min(PIECE, SIZE - at)))
    piece.writeUInt32LE(at / PIECE, 0)
    yield piece
  }
}
const base = bytes(PIECE)

const digestOf = async ({ cat }: Contender, cid: string): Promise<string> => {
  const hash = createHash("sha256")
  await cat(cid, (bytes) => hash.update(bytes))
  return hash.digest("hex")
}

export const ipfs: Part = {
  name: "ipfs",
  open: async () => {
    const { close: closeService, endpoint } = await service()
    const plain = ours(endpoint, false)
    const proven = ours(endpoint, true)
    const peer = kubo(endpoint)
    const content = Buffer.concat([...pieces()])
    const small = await embedded()

    let cid: string | undefined
    /** Adds the file once, and compares every byte that each client reads from it. */
    const stored = async (): Promise<void> => {
      if (cid !== undefined) return
      const added = await plain.addBytes(content)
      const digest = createHash("sha256").update(content).digest("hex")
      for (const client of [plain, proven, peer]) {
        if ((await digestOf(client, added)) !== digest) throw new Error("a client reads other bytes")
      }
      cid = added
    }
    const cat = (client: Contender) => ({
      before: stored,
      run: async () => {
        let size = 0
        await client.cat(cid!, (bytes) => {
          size += bytes.length
        })
        return size
      }
    })
    const row = (name: string, rest: Omit<Row, "name">): Row => ({
      name: `100 MB: ${name}`,
      waits: true,
      warmUp: 1,
      turn: 1,
      rounds: 7,
      ...rest
    })
    const rows: ReadonlyArray<Row> = [
      row("add, streamed", {
        goal: 5,
        ours: () => plain.addStream(pieces),
        peers: { "kubo-rpc-client": () => peer.addStream(pieces) }
      }),
      row("add, bytes", {
        goal: 5,
        ours: () => plain.addBytes(content),
        peers: { "kubo-rpc-client": () => peer.addBytes(content) }
      }),
      row("add, verified", {
        ours: () => proven.addStream(pieces),
        peers: { "kubo-rpc-client (unverified)": () => peer.addStream(pieces) }
      }),
      row("cat", { goal: 1.5, ours: cat(plain), peers: { "kubo-rpc-client": cat(peer) } }),
      row("cat, verified, at most twice the plain one", {
        goal: 0.5,
        ours: cat(proven),
        peers: { "ours, plain": cat(plain) },
        yardsticks: { "kubo-rpc-client (unverified)": cat(peer) }
      }),
      ...small.rows,
      lines
    ]
    const close = async () => {
      await plain.close()
      await proven.close()
      await small.close()
      await closeService()
    }
    return { rows, close }
  }
}
