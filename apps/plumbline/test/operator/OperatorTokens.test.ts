/** `plumbline tokens`, against a real service. */
import { generateKeyPairSync, sign } from "node:crypto"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../support/Children.ts"
import * as Operated from "../support/Operated.ts"
import * as RunCli from "../support/RunCli.ts"

const service = Operated.operated()

const where = () => ["--url", service().url, "--admin-token", service().token]

const json = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await RunCli.json([...args, ...where()])
  expect([exitCode, answer.error]).toEqual([0, undefined])
  return answer
}

const failure = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await RunCli.json([...args, ...where()])
  expect(exitCode).toBe(1)
  return answer.error
}

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const jwk = { ...publicKey.export({ format: "jwk" }), kid: "2026" }

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const tokenFor = (aud: string): string => {
  const text = `${encode({ alg: "EdDSA", kid: "2026" })}.${encode({ aud, exp: Date.now() / 1000 + 60, sub: "ada" })}`
  return `${text}.${sign(undefined, Buffer.from(text), privateKey).toString("base64url")}`
}

const call = async (key: string, token?: string) => {
  const response = await fetch(`${service().url}/v3/${key}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
  })
  await response.text()
  return response.status
}

describe("tokens", () => {
  it("are set from a file of keys, changed one by one, shown and removed", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "jwks.json")
    await writeFile(file, JSON.stringify({ keys: [jwk] }))
    const { apiKey, project } = await json("projects", "create", "app")
    expect(await failure("tokens", "show", project.id)).toMatchObject({ tag: "NotFound" })
    expect(await failure("tokens", "set", project.id, "--required", "on")).toMatchObject({ tag: "UsageError" })
    const { tokens } = await json("tokens", "set", project.id, "--keys", file, "--required", "on")
    expect(tokens).toMatchObject({ required: true, audience: project.id, toleranceSeconds: 30, userLimits: {} })
    expect([await call(apiKey), await call(apiKey, tokenFor(project.id))]).toEqual([401, 200])
    const changed = await json("tokens", "set", project.id, "--user-requests-per-second", "5", "--tolerance", "7")
    expect(changed.tokens).toEqual({ ...tokens, toleranceSeconds: 7, userLimits: { requestsPerSecond: 5 } })
    const open = await json("tokens", "set", project.id, "--user-requests-per-second", "none", "--required", "off")
    expect(open.tokens).toEqual({ ...tokens, toleranceSeconds: 7, required: false })
    expect(await json("tokens", "show", project.id)).toEqual(open)
    expect([await call(apiKey), await call(apiKey, tokenFor("other"))]).toEqual([200, 401])
    const { stdout } = await RunCli.run(["tokens", "show", project.id, ...where()])
    expect(stdout).toMatch(/^1 public key\n\n {2}kid +algorithm\n {2}2026 +EdDSA\n/u)
    expect(await json("tokens", "remove", project.id)).toEqual({ removed: project.id })
    expect(await call(apiKey, tokenFor(project.id))).toBe(401)
    expect(await call(apiKey)).toBe(200)
  })

  it("are refused with a private key in the file, which is not sent and not repeated", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "private.json")
    const secret = { ...privateKey.export({ format: "jwk" }), kid: "2026" }
    await writeFile(file, JSON.stringify(secret))
    const nowhere = ["--url", "http://127.0.0.1:1", "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["tokens", "set", "p", "--keys", file, ...nowhere])
    expect([exitCode, answer.error.tag]).toEqual([1, "DataError"])
    expect(answer.error.message).toContain("must be public: it has the private member d")
    expect(JSON.stringify(answer)).not.toContain(secret.d)
    await writeFile(file, "{")
    expect(await failure("tokens", "set", "p", "--keys", file)).toMatchObject({ tag: "DataError", problem: "Damaged" })
    expect(await failure("tokens", "set", "p", "--keys", `${file}x`)).toMatchObject({ problem: "Unreadable" })
    expect(await failure("tokens", "set", "p", "--tolerance", "301")).toMatchObject({ tag: "UsageError" })
    expect(await failure("tokens", "set", "p", "--user-burst", "0")).toMatchObject({ tag: "UsageError" })
  })
})
