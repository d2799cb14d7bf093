/** The weight at the end of the line. It holds the value, and is the only large filled shape of the page. */

/** Font sizes in the bob, each with the maximum number of characters that fit at that size. */
const SIZES = [
  [6, 22],
  [9, 15],
  [11, 12],
  [13, 10],
  [14, 9.5]
] as const

/** The plumb bob with the value. A value that is too long for the bob is shown below it. */
export const ValueMarker = ({ text }: { readonly text: string }) => {
  const size = SIZES.find(([most]) => text.length <= most)?.[1] ?? 0
  return (
    <div className="bob">
      <svg viewBox="0 0 140 92" width="140" height="92" role="img" aria-label={text}>
        <path d="M64 0h12v10h30l13 12v11L70 91 21 33V22l13-12h30z" />
        <text x="70" y="40" fontSize={size === 0 ? 12 : size}>
          {size === 0 ? "value" : text}
        </text>
      </svg>
    </div>
  )
}
