/**
 * Light client data of beacon chains, as a product of the gateway: checked, kept, and served without nodes.
 */
export * as BeaconArchive from "./archive/BeaconArchive.ts"
export * as BeaconMetrics from "./BeaconMetrics.ts"
export * as BeaconProduct from "./BeaconProduct.ts"
