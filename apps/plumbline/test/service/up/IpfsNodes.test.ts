/**
 * `plumbline up` with a second IPFS node, which is another service. The first service reads and copies content from it,
 * and works without it.
 */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { create } from "kubo-rpc-client"

import * as Children from "../../support/Children.ts"
import * as Upped from "../../support/Upped.ts"

const authorizationOf = ({ apiKey, apiKeySecret }: Upped.Announcement) =>
  `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString("base64")}`

const clientOf = (announcement: Upped.Announcement) =>
  create({ url: announcement.ipfsUrl!, headers: { authorization: authorizationOf(announcement) } })

const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

describe("a service with a second IPFS node", () => {
  it("reads what the first lacks, keeps what it has read and what it has pinned, and shows each node", async () => {
    await using there = await Children.folder()
    await using here = await Children.folder()
    const archive = await Upped.start(there.path)
    const elsewhere = clientOf(archive.announcement)
    const read = String((await elsewhere.add("read\n")).cid)
    const pinned = String((await elsewhere.add("pinned\n")).cid)
    const never = String((await elsewhere.add("never read\n")).cid)

    const { apiKey, apiKeySecret, ipfsUrl } = archive.announcement
    const url = ipfsUrl!.replace("//", `//${apiKey}:${apiKeySecret}@`)
    const config = `${here.path}/plumbline.yaml`
    await writeFile(config, `ipfs: { fallbacks: [{ node: "${url}", name: archive }], gateway: public }\n`)
    const service = await Upped.start(`${here.path}/data`, ["--config", config])
    const ipfs = clientOf(service.announcement)
    const raw = (cid: string, headers: Record<string, string> = {}) =>
      fetch(`${service.announcement.url}/ipfs/${cid}?format=raw`, { headers })
    const health = async () => (await fetch(`${service.announcement.url}/health`)).json()

    expect(await textOf(ipfs.cat(read))).toBe("read\n")
    expect((await raw(read)).status).toBe(200)
    await ipfs.pin.add(pinned)
    expect((await health()).ipfs.nodes).toEqual([
      { name: "node", state: "up", lies: 0 },
      { name: "archive", state: "up", lies: 0 }
    ])

    await archive.stop("SIGKILL")
    expect(await textOf(ipfs.cat(read))).toBe("read\n")
    expect(await textOf(ipfs.cat(pinned))).toBe("pinned\n")
    expect(String((await ipfs.add("written here\n")).cid)).toMatch(/^Qm/u)
    for (let i = 0; i < 3; i++) expect((await raw(never)).status).toBe(502)
    const { degraded, ipfs: nodes, status } = await health()
    expect([status, degraded]).toEqual(["degraded", ["IPFS: node archive is down"]])
    expect(nodes.nodes.map(({ state }: { readonly state: string }) => state)).toEqual(["up", "down"])
    const { stderr } = await service.stop()
    expect(stderr).toContain("IPFS node archive is down")
    for (const secret of [apiKey, apiKeySecret]) expect(stderr + JSON.stringify(nodes)).not.toContain(secret)
  })
})
