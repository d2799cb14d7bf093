import { ipfsDags } from "../suites/IpfsDags.ts"
import { fresh } from "../support/ipfs.ts"

ipfsDags(fresh)
