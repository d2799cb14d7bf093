/** Starts the gateways that are compared. Each gateway runs in its own processes. */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

import { freePort } from "@plumbline/gateway/support/ports"

import { owned } from "../../measure/owned.ts"

/** A running server: the URL to which calls are posted, and the process whose time is measured. */
export interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly close: () => Promise<void>
}

const nginxProgram = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"].find(existsSync)
const app = path.resolve(import.meta.dirname, "../../../../../apps/plumbline/src/main.ts")

const ended = async (child: ChildProcess, end: () => void): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  end()
  await exited
}

/** Starts a module of this folder, or at a path, that sends its port, or its port and a key. */
export const forked = async (name: string, file: string, ...args: ReadonlyArray<string>): Promise<Server> => {
  const child = fork(path.resolve(import.meta.dirname, file), args, {
    execArgv: ["--disable-warning=ExperimentalWarning"]
  })
  const [sent] = (await once(child, "message")) as [number | { readonly port: number; readonly key: string }]
  const url = typeof sent === "number" ? `http://127.0.0.1:${sent}/` : `http://127.0.0.1:${sent.port}/v3/${sent.key}`
  return { name, url, pid: child.pid!, close: () => ended(child, () => child.disconnect()) }
}

const plainListener = fileURLToPath(import.meta.resolve("@plumbline/gateway/support/plainListener"))

/** Starts the simplest proxy that a program could use: `node:http` in front, a pool of undici behind. */
export const simplest = (upstream: string): Promise<Server> => forked("node:http + undici", plainListener, upstream)

/**
 * Starts a listener without a gateway, which answers every call with this result. A cache hit of any gateway on
 * `node:http` costs at least this.
 */
export const alone = (result: string): Promise<Server> => forked("node:http alone", plainListener, "result", result)

/** Waits until a server sends any answer to a call. */
const reached = async (url: string): Promise<void> => {
  const until = Date.now() + 30_000
  for (;;) {
    try {
      await (await fetch(url, { method: "POST", body: "{}" })).arrayBuffer()
      return
    } catch (error) {
      if (Date.now() > until) throw new Error(`nothing answers at ${url}`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Starts nginx with one process and kept connections. Returns undefined if nginx is not installed. */
export const nginx = async (upstream: number, folder: string): Promise<Server | undefined> => {
  if (nginxProgram === undefined) return undefined
  const port = await freePort()
  const home = path.join(folder, "nginx")
  mkdirSync(home)
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`)
  writeFileSync(
    path.join(home, "nginx.conf"),
    `daemon off; master_process off; pid nginx.pid; error_log stderr emerg;
events { worker_connections 1024; }
http {
  ${paths.join(" ")} access_log off; keepalive_requests 1000000000;
  upstream node { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`
  )
  const child = owned(spawn(nginxProgram, ["-p", home, "-c", "nginx.conf"], { stdio: ["ignore", "ignore", "inherit"] }))
  const url = `http://127.0.0.1:${port}/`
  await reached(url)
  return { name: "nginx", url, pid: child.pid!, close: () => ended(child, () => child.kill("SIGQUIT")) }
}

/**
 * The URLs of `plumbline up`. One project has limits, and its URLs differ by the integrity mode of their network.
 * Another project has no limits.
 */
export interface Up {
  readonly free: Server
  readonly limited: Server
  /** The network that sends the calls of one iteration of the event loop to the node as one packet. */
  readonly packed: Server
  readonly checked: Server
  readonly proven: Server
}

/**
 * Starts `plumbline up` in front of the upstream, with SQLite and this number of workers. The network with proofs trusts
 * `block`.
 */
export const up = async (upstream: number, folder: string, block: string, workers = 1): Promise<Up> => {
  const config = path.join(folder, "plumbline.json")
  const upstreams = [{ url: `http://127.0.0.1:${upstream}` }]
  const settings = {
    server: { port: await freePort(), workers },
    networks: {
      bench: { hosts: ["bench.localhost"], chainId: 1, upstreams },
      packed: { hosts: ["packed.localhost"], chainId: 1, upstreams: upstreams.map((node) => ({ ...node, batch: {} })) },
      checked: { hosts: ["checked.localhost"], chainId: 1, upstreams, integrity: "check" },
      proven: { hosts: ["proven.localhost"], chainId: 1, upstreams, integrity: "prove", trust: { block } }
    },
    ipfs: { node: "none" },
    state: { folder: path.join(folder, "service") }
  }
  writeFileSync(config, JSON.stringify(settings))
  const child = owned(
    spawn(process.execPath, [app, "up", "--json", "--config", config], {
      // the log of the service is ignored, because it has a line for each refused call
      stdio: ["ignore", "pipe", "ignore"]
    })
  )
  const stopped = once(child, "exit").then(([code]) => {
    throw new Error(`\`up\` ended with ${code}`)
  })
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), stopped])) as [string]
  stopped.catch(() => undefined)
  const { adminToken, apiKey, url } = JSON.parse(line)
  // limits that are checked but never reached
  const limits = { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1e6 }
  const made = await fetch(`${url}/admin/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "limited", card: true, limits })
  })
  if (!made.ok) throw new Error(await made.text())
  const { apiKey: limited } = (await made.json()) as { readonly apiKey: string }
  const close = () => ended(child, () => child.kill("SIGTERM"))
  const server = (network: string, key: string): Server => ({
    name: `up, ${network}`,
    url: `${url}/${network}/v3/${key}`,
    pid: child.pid!,
    close
  })
  return {
    free: server("bench", apiKey),
    limited: server("bench", limited),
    packed: server("packed", limited),
    checked: server("checked", limited),
    proven: server("proven", limited)
  }
}

/** Starts `plumbline proxy` in front of a node. It trusts `block`. */
export const proxy = async (url: string, block: string): Promise<Server> => {
  const words = ["proxy", "--json", "--port", "0", "--url", url, "--trust", block]
  const child = owned(spawn(process.execPath, [app, ...words], { stdio: ["ignore", "pipe", "inherit"] }))
  const [line] = await once(createInterface(child.stdout), "line")
  return {
    name: "proxy",
    url: JSON.parse(line).url,
    pid: child.pid!,
    close: () => ended(child, () => child.kill("SIGTERM"))
  }
}

/** Starts eRPC, if its program is on PATH, with one project and the node as its only upstream. */
export const erpc = async (upstream: number, folder: string): Promise<Server | undefined> => {
  const program = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .map((at) => path.join(at, "erpc"))
    .find((file) => existsSync(file))
  if (program === undefined) return undefined
  const port = await freePort()
  const config = path.join(folder, "erpc.yaml")
  writeFileSync(
    config,
    `logLevel: error
server: { listenV4: true, httpHostV4: 127.0.0.1, httpPortV4: ${port}, listenV6: false }
metrics: { enabled: false }
projects:
  - id: bench
    networks:
      - architecture: evm
        evm: { chainId: 1 }
    upstreams:
      - id: node
        endpoint: http://127.0.0.1:${upstream}
        evm: { chainId: 1 }
`
  )
  const child = owned(spawn(program, [config], { stdio: "ignore" }))
  const url = `http://127.0.0.1:${port}/bench/evm/1`
  await reached(url)
  return { name: "eRPC", url, pid: child.pid!, close: () => ended(child, () => child.kill("SIGTERM")) }
}

/** Starts any other gateway by its command, in which `{upstream}` stands for the URL of the node. */
export const other = async (command: string, url: string, upstream: number): Promise<Server> => {
  const child = spawn("/bin/sh", ["-c", command.replaceAll("{upstream}", `http://127.0.0.1:${upstream}`)], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true
  })
  const end = () => process.kill(-child.pid!, "SIGTERM")
  owned(child, end)
  await reached(url)
  return { name: "the other", url, pid: child.pid!, close: () => ended(child, end) }
}
