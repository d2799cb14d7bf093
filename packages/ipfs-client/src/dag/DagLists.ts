/** Parts of the commands `refs` and `dag/stat`, for services that answer them. */
export { DagCount } from "./dagCount.ts"
export { depthOf, type Ref, written } from "./dagRefs.ts"
