/** A service that is checked against the interface: its URL and its projects. It can be sent to another process. */

/** Its networks, each with a host of its own. */
export type NetworkName = "live" | "history" | "starknet-pool" | "unsealed"

/** A project, and the secrets that its owner was shown once. */
export interface Project {
  readonly id: string
  readonly key: string
  readonly secret: string
}

/** The service as its operator reaches it. */
export interface Operated {
  readonly port: number
  readonly adminToken: string
}

export interface Target extends Operated {
  readonly projects: {
    /** A project with a card and without limits. */
    readonly open: Project
    /** A project without a card. */
    readonly cardless: Project
    /** A project with 100 credits a day. */
    readonly limited: Project
  }
}

/** The base URL of a network: its host is its name before `localhost`. */
export const baseUrl = ({ port }: Target, network: NetworkName = "live"): string =>
  `http://${network}.localhost:${port}`

/** The URL for calls. */
export const rpcUrl = (target: Target, network?: NetworkName, key: string = target.projects.open.key): string =>
  `${baseUrl(target, network)}/v3/${key}`

/** The URL for WebSockets. */
export const socketUrl = (target: Target, network?: NetworkName, key: string = target.projects.open.key): string =>
  `${baseUrl(target, network).replace("http", "ws")}/ws/v3/${key}`

/** The Authorization header of a project. */
export const authorization = ({ key, secret }: Pick<Project, "key" | "secret">): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`
