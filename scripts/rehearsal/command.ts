/** The parts of a rehearsal that use the installed command as an operator would: a new service, and its upgrade. */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"

import * as Children from "../children.ts"

/** Runs the command with these arguments and returns what it printed, without the last line break. */
export type Run = (...args: ReadonlyArray<string>) => Promise<string>

/** Facts that a service knows before an upgrade, and must know after it. */
export interface Known {
  /** The key of the data folder, and the key of a project that an operator made. */
  readonly keys: ReadonlyArray<string>
  /** The id of the operator's project. */
  readonly project: string
  /** Number of calls of the project's key that were answered. */
  readonly calls: number
  /** A file that was added, and so is pinned. */
  readonly cid: string
}

interface Announced {
  readonly url: string
  readonly apiKey: string
}

/** The program of the command that is installed in a folder. */
export const programOf = (folder: string): string =>
  path.join(folder, "node_modules/@plumbline/cli/dist/cli/code/plumbline.js")

/**
 * Runs `up` of the command in a folder while `body` runs, and ends it as an operator does. `programs` is the PATH on which
 * the command finds its Node.
 */
const serving = async <A>(
  folder: string,
  body: (announced: Announced, data: string) => Promise<A>,
  programs = process.env["PATH"]
): Promise<A> => {
  const data = path.join(folder, "data")
  const program = path.join(folder, "node_modules/.bin/plumbline")
  const service = Children.start(program, ["up", "--port", "0", "--json", "--data", data], {
    cwd: folder,
    env: { ...process.env, PATH: programs },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(service, "exit")
  let result: A
  try {
    const first = once(createInterface(service.stdout!), "line")
    const line = await Promise.race([first, ended])
    if (service.exitCode !== null) throw new Error(`up ended with ${service.exitCode}`)
    const announced: Announced = JSON.parse(String(line[0]))
    if (!announced.url.startsWith("http://127.0.0.1:")) throw new Error(`up listens at ${announced.url}`)
    result = await body(announced, data)
  } finally {
    service.kill("SIGTERM")
    await ended
  }
  if (service.exitCode !== 0) throw new Error(`up ended with ${service.exitCode}`)
  return result
}

/** Calls the service with a key, several times. Throws unless each call is answered. */
const call = async (url: string, key: string, times: number): Promise<void> => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  for (let n = 0; n < times; n++) {
    const response = await fetch(`${url}/v3/${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body
    })
    const text = await response.text()
    if (!text.includes('"result":"0x10"')) throw new Error(`the service answered ${response.status} ${text}`)
  }
}

const expectVersion = async (version: string, run: Run): Promise<string> => {
  const said = await run("--version")
  if (said !== `plumbline v${version}`) throw new Error(`--version printed ${said}`)
  return said
}

const CALLS = 3

/**
 * Starts the service of an installed command, reads its newest block with it, and gives it a project, usage and a file.
 * `folder` is where npm installed the command.
 */
export const use = async (folder: string, version: string, run: Run): Promise<Known> => {
  await expectVersion(version, run)
  const completions = await run("--completions", "bash")
  if (!completions.includes("read-slot")) throw new Error("the completions name no command")
  return serving(folder, async ({ apiKey, url }, data) => {
    const answer = await run("block", "latest", "--full", "--json", "--data", data)
    const { verdict }: { readonly verdict: string } = JSON.parse(answer)
    if (verdict !== "VERIFIED") throw new Error(`the newest block is ${verdict}`)
    const file = path.join(folder, "hello.txt")
    writeFileSync(file, "hello world\n")
    const [added]: ReadonlyArray<{ readonly Hash: string }> = JSON.parse(
      await run("ipfs", "add", file, "--json", "--data", data)
    ).value
    const made = JSON.parse(await run("projects", "create", "wallet", "--json", "--data", data))
    await call(url, made.apiKey, CALLS)
    const known = { keys: [apiKey, made.apiKey], project: made.project.id, calls: CALLS, cid: added!.Hash }
    await expectKnown(known, { apiKey, url }, data, run)
    return known
  })
}

/** Starts the service of an installed command with the Node on a PATH, calls it once, and ends it. */
export const answers = (folder: string, programs: string): Promise<void> =>
  serving(folder, ({ apiKey, url }) => call(url, apiKey, 1), programs)

/** Throws unless the service knows all of this: the keys are accepted, and the calls, the pin and the file are there. */
const expectKnown = async (known: Known, { apiKey, url }: Announced, data: string, run: Run): Promise<void> => {
  if (apiKey !== known.keys[0]) throw new Error("the service has another API key")
  const { totals } = JSON.parse(await run("usage", "--project", known.project, "--json", "--data", data))
  if (Number(totals.calls) !== known.calls) throw new Error(`${totals.calls} calls are counted, not ${known.calls}`)
  const pins = await run("ipfs", "pin", "ls", known.cid, "--json", "--data", data)
  if (!pins.includes(known.cid)) throw new Error(`the added file is not pinned: ${pins}`)
  const read = await run("ipfs", "cat", known.cid, "--data", data)
  if (read !== "hello world") throw new Error(`the added file reads ${read}`)
  await call(url, apiKey, 1)
}

/** Starts the service of the upgraded command on the same data folder. Throws unless it knows what the old one knew. */
export const useAgain = async (folder: string, version: string, run: Run, known: Known): Promise<void> => {
  await expectVersion(version, run)
  await serving(folder, async (announced, data) => {
    await expectKnown(known, announced, data, run)
    await call(announced.url, known.keys[1]!, CALLS)
    await expectKnown({ ...known, calls: known.calls + CALLS }, announced, data, run)
  })
}
