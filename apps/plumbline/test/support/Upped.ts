/** Runs `plumbline up` as a child process, and calls it with its key and its admin token. */
import * as Children from "./Children.ts"

/** The announcement of `up`. */
export interface Announcement {
  readonly url: string
  readonly wsUrl: string
  readonly apiKey: string
  readonly apiKeySecret: string
  readonly ipfsUrl: string | null
  readonly adminToken: string | null
  readonly networks: ReadonlyArray<{ readonly name: string; readonly host: string; readonly chainId: number }>
}

/** Starts the service on any free port, unless the arguments name a port. */
export const start = async (
  folder: string | undefined,
  args: ReadonlyArray<string> = [],
  env: Record<string, string> = {}
) => {
  const data = folder === undefined ? [] : ["--data", folder]
  const child = Children.start(["up", "--json", "--port", "0", ...data, ...args], env)
  const announcement: Announcement = JSON.parse(await child.firstLine)
  return {
    ...child,
    announcement,
    pid: child.process.pid!,
    stop: (signal: NodeJS.Signals = "SIGTERM") => {
      child.process.kill(signal)
      return child.ended
    },
    /** Makes a JSON-RPC call to the network with this host. */
    call: async (method: string, params: ReadonlyArray<unknown>, host?: string) => {
      const response = await fetch(`${announcement.url}/v3/${announcement.apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(host === undefined ? {} : { host }) },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
      const text = await response.text()
      return { status: response.status, body: response.status === 200 ? JSON.parse(text) : text }
    },
    /** Makes a request to the admin API, which must succeed. */
    admin: async (method: string, path: string, body?: unknown): Promise<any> => {
      const response = await fetch(`${announcement.url}/admin/v1${path}`, {
        method,
        // a connection of its own: the process that held an earlier one may have ended
        headers: {
          authorization: `Bearer ${announcement.adminToken}`,
          "content-type": "application/json",
          connection: "close"
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === "" ? undefined : JSON.parse(text)
    }
  }
}
