/** The state of the archives of light client data, as `/health` shows it. */

/**
 * The state of one archive. `behind`: no beacon node can be followed, and only kept data is served. `stopped`: two valid
 * updates contradict each other, so the archive follows nothing until the next start.
 */
export interface BeaconHealth {
  readonly name: string
  readonly state: "following" | "behind" | "stopped"
}
