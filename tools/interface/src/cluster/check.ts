/** What is shown on a cluster: a claim, what was measured, and whether it holds. */
export interface Finding {
  readonly claim: string
  readonly measured: string
  readonly holds: boolean
}
