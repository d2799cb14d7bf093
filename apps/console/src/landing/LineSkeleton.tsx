/** The shape of the line of the landing before it is read. */
import { SkeletonRows } from "../look/Skeleton.tsx"

/** The shape: a value, and rows. */
export const LineSkeleton = () => (
  <section className="landing-line" aria-hidden="true">
    <div className="lead">
      <i className="skeleton-title" />
    </div>
    <div className="sheet line-skeleton">
      <SkeletonRows rows={12} />
    </div>
  </section>
)
