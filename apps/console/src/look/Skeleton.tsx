/** The shape of a screen before its data: a heading, and rows of the height that they will have. */
import { useEffect, useState } from "react"

/** Time after which screen readers hear what is read, in milliseconds: a shorter wait needs no words. */
const LONG = 300

/** The shape of a list: `rows` rows of a table's height. */
export const SkeletonRows = ({ rows }: { readonly rows: number }) => (
  <div className="skeleton-rows" aria-hidden="true">
    {Array.from({ length: rows }, (_, at) => (
      <i key={at} />
    ))}
  </div>
)

/** The shape of a screen. `says` is read aloud if the wait is long. */
export const Skeleton = ({ rows = 8, says }: { readonly says: string; readonly rows?: number | undefined }) => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="page skeleton">
      <p className="spoken" role="status">
        {isLong ? `${says} …` : ""}
      </p>
      <div className="lead" aria-hidden="true">
        <i className="skeleton-title" />
      </div>
      <div className="sheet" aria-hidden="true">
        <SkeletonRows rows={rows} />
      </div>
    </div>
  )
}
