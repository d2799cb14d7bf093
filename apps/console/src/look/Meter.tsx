/** Shows how much of a limit is used: a bar up to a mark, hatched from 80 % on. */

/** The bar. `share` is 1 at the limit. */
export const Meter = ({ label, share }: { readonly label: string; readonly share: number }) => {
  const percent = Math.min(100, Math.max(0, share * 100))
  return (
    <div
      className={percent >= 80 ? "meter hot" : "meter"}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent.toFixed(1)}%` }} />
    </div>
  )
}
