/** A service under test: its URL and its projects. This description can be sent to another process. */

/** The networks of the service, each with its own host. */
export type NetworkName = "live" | "history" | "starknet-pool" | "unsealed"

/** A project, and the secrets that its owner was shown once. */
export interface Project {
  readonly id: string
  readonly key: string
  readonly secret: string
}

/** The address and the credentials with which the operator reaches the service. */
export interface Operated {
  readonly port: number
  /** The port of the admin API, if it is not `port`. */
  readonly adminPort?: number
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

/** Returns the base URL of a network. Its host is its name below `localhost`. */
export const baseUrl = ({ port }: Target, network: NetworkName = "live"): string =>
  `http://${network}.localhost:${port}`

/** Returns the URL for calls. */
export const rpcUrl = (target: Target, network?: NetworkName, key: string = target.projects.open.key): string =>
  `${baseUrl(target, network)}/v3/${key}`

/** Returns the URL for WebSockets. */
export const socketUrl = (target: Target, network?: NetworkName, key: string = target.projects.open.key): string =>
  `${baseUrl(target, network).replace("http", "ws")}/ws/v3/${key}`

/** Returns the Authorization header of a project. */
export const authorization = ({ key, secret }: Pick<Project, "key" | "secret">): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`
