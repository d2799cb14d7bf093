import { createHash } from "node:crypto"

import { expect, test, type TestContext } from "vitest"

import { start } from "../registry.ts"

const publication = (version: string) => ({
  name: "@scope/name",
  "dist-tags": { latest: version },
  versions: { [version]: { name: "@scope/name", version } },
  _attachments: { [`@scope/name-${version}.tgz`]: { data: Buffer.from("tarball").toString("base64") } }
})
const open = async ({ onTestFinished }: TestContext) => {
  const registry = await start()
  onTestFinished(registry.close)
  const address = `${registry.url}/@scope%2fname`
  const publish = (version: string) =>
    fetch(address, { method: "PUT", body: JSON.stringify(publication(version)) }).then((response) => response.status)
  return { registry, address, publish }
}

test("what was published can be read back, and its tarball matches its integrity", async (context) => {
  const { address, publish, registry } = await open(context)
  expect((await fetch(address)).status).toBe(404)
  expect(await publish("1.0.0")).toBe(201)
  expect(await publish("1.1.0")).toBe(201)
  expect(registry.published()).toEqual(["@scope/name@1.0.0", "@scope/name@1.1.0"])

  const found = await fetch(address).then((response) => response.json())
  expect(found).toMatchObject({ name: "@scope/name", "dist-tags": { latest: "1.1.0" } })
  const { dist, version } = found.versions["1.0.0"]
  expect(version).toBe("1.0.0")
  const bytes = await fetch(dist.tarball).then((response) => response.bytes())
  expect(dist.integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`)
})

test("a version is published once", async (context) => {
  const { publish, registry } = await open(context)
  expect(await publish("1.0.0")).toBe(201)
  expect(await publish("1.0.0")).toBe(409)
  expect(registry.published()).toEqual(["@scope/name@1.0.0"])
})
