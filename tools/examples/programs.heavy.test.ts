/** Runs each program of `examples/` as a user does, and compares what it prints with its `// =>` comments. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

import { afterAll, describe, expect, test } from "vitest"

const root = path.resolve(import.meta.dirname, "../..")
const programs = globSync("examples/*.ts", { cwd: root }).sort()
const sourceOf = (file: string): string => readFileSync(path.join(root, file), "utf8")

/** Starts Node with these arguments, and with these environment variables in addition to those of this process. */
const start = (args: ReadonlyArray<string>, variables: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, args, {
    cwd: path.join(root, "examples"),
    env: { ...process.env, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** The service of `plumbline up`. It starts when the first program needs it, and ends after all tests of this file. */
const service = (() => {
  let child: ReturnType<typeof start> | undefined
  let announced: Promise<NodeJS.ProcessEnv> | undefined
  const data = mkdtempSync(path.join(tmpdir(), "plumbline-examples-"))
  const up = async (): Promise<NodeJS.ProcessEnv> => {
    child = start([path.join(root, "apps/plumbline/src/main.ts"), "up", "--json", "--port", "0", "--data", data], {
      // no grace period, because there is no load balancer that must notice the stop of the service
      PLUMBLINE_SERVER__TIMEOUTS__GRACE: "0s"
    })
    child.stderr.resume()
    for await (const line of createInterface(child.stdout)) {
      const { apiKey, apiKeySecret, ipfsUrl } = JSON.parse(line)
      return { PLUMBLINE_IPFS_URL: ipfsUrl, PLUMBLINE_API_KEY: apiKey, PLUMBLINE_API_KEY_SECRET: apiKeySecret }
    }
    throw new Error("the service did not start")
  }
  const stop = async (): Promise<void> => {
    if (child !== undefined && child.exitCode === null) {
      child.kill("SIGTERM")
      await once(child, "close")
    }
    rmSync(data, { recursive: true, force: true })
  }
  return { variables: () => (announced ??= up()), stop }
})()
afterAll(service.stop)

describe.concurrent.each(programs)("%s", (file) => {
  const source = sourceOf(file)

  test("prints what it says", async () => {
    const child = start([path.join(root, file)], source.includes("process.env") ? await service.variables() : {})
    const [printed, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    expect({ said, code, printed: printed.trimEnd().split("\n") }).toEqual({
      said: "",
      code: 0,
      printed: [...source.matchAll(/\/\/ => (.+)$/gm)].map(([, value]) => value)
    })
  })

  test("has less than 40 lines, and imports what a user installs", () => {
    expect(source.split("\n").length - 1).toBeLessThan(40)
    const imported = [...source.matchAll(/from "([^"]+)"/g)].map(([, name]) => name!)
    expect(
      imported.filter(
        (name) =>
          !/^(?:@plumbline\/[\w-]+|node:[\w/]+|effect|viem(?:\/chains)?|kubo-rpc-client|@scure\/starknet)$/.test(name)
      )
    ).toEqual([])
  })
})
