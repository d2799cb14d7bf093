/** The methods in tables of usage. */
/** Usage of a method. */
interface MethodUsage {
  readonly method?: string
  readonly calls: bigint
  readonly credits: bigint
}

/** The names under which the service records usage that has no method of its own. */
const OTHERS: Readonly<Record<string, string>> = {
  // the method is not one of the network's, or the request was refused before its body was read
  unknown: "no known method",
  invalid: "no valid request",
  // a batch has bytes and possibly a price of its own; its items are counted under their methods
  batch: "batches themselves"
}

/** Leaves out rows without calls and credits: a batch is recorded beside its items, and can have a price of its own. */
export const charged = <A extends MethodUsage>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.filter(({ calls, credits }) => calls > 0n || credits > 0n)

/** Leaves out rows without calls, for a table of the methods that are called most. */
export const called = <A extends MethodUsage>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.filter(({ calls }) => calls > 0n)

/** Returns the usage that the rows leave out of the totals; undefined if they leave out nothing. */
export const restOf = (
  rows: ReadonlyArray<Omit<MethodUsage, "method">>,
  { calls, credits }: Omit<MethodUsage, "method">
): Omit<MethodUsage, "method"> | undefined =>
  charged([
    {
      calls: rows.reduce((left, row) => left - row.calls, calls),
      credits: rows.reduce((left, row) => left - row.credits, credits)
    }
  ])[0]

/** Returns the name of a method for readers. */
export const nameOf = (method: string): string => OTHERS[method] ?? method

/** Shows the name of a method. Where the column of networks is left out, it is followed by the network, if one is given. */
export const UsedMethod = ({ method, network }: { readonly method: string; readonly network?: string | undefined }) => (
  <>
    {method in OTHERS ? <i className="soft">{OTHERS[method]}</i> : <code>{method}</code>}
    {network === undefined ? null : <span className="beside-method">{network}</span>}
  </>
)
