/** The weight at the end of the line. It holds the value, and is the only large filled shape of the page. */

/** The bob. A value that is too long for it stands below. */
export const Bob = ({ text }: { readonly text: string }) => {
  const size = text.length <= 6 ? 22 : text.length <= 9 ? 16 : text.length <= 11 ? 13.5 : text.length <= 14 ? 11 : 0
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
