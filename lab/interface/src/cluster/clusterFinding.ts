/** A finding on a cluster: a claim, the measurement, and whether the claim holds. */
export interface Finding {
  readonly claim: string
  readonly measured: string
  readonly holds: boolean
}
