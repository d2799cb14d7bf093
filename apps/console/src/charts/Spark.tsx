/** A small line chart without axes, next to its figure. */

/** The line. `kind` chooses its colour: one for usage, another for warnings. */
export const Spark = ({
  kind,
  values
}: {
  readonly values: ReadonlyArray<number | null>
  readonly kind: "chalk" | "ink"
}) => {
  const known = values.map((value) => value ?? 0)
  const top = Math.max(...known, 0)
  const step = WIDE / Math.max(1, known.length - 1)
  const points = known.map((value, at) => {
    const height = top === 0 ? 0 : (value / top) * (TALL - 4)
    return `${(at * step).toFixed(1)} ${(TALL - 2 - height).toFixed(1)}`
  })
  if (points.length < 2) return <svg className="spark" aria-hidden="true" />
  return (
    <svg className={`spark ${kind}`} viewBox={`0 0 ${WIDE} ${TALL}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="under" d={`M${points.join("L")}L${WIDE} ${TALL}L0 ${TALL}z`} />
      <path className="over" d={`M${points.join("L")}`} />
    </svg>
  )
}

const WIDE = 290
const TALL = 36
