// The real methods: what geth takes for parameters, and what nodes say of their own.

// A block by its number, by a tag, by its hash, or by one of the objects of EIP-1898; null is none, as in geth.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","latest"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","latest"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x10"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x10"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10"}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","requireCanonical":false}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","requireCanonical":false}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",null]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}

// The object holds one of them, not both, not neither, and nothing of another kind.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10","blockHash":"0xabababababababababababababababababababababababababababababababab"}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected exactly one member to match"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockHash: Missing key"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":16}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockHash: Missing key"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0x10"}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockHash: Expected 0x hex data of 32 bytes"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":1}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: requireCanonical: Expected boolean"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x010"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected BlockTag"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","newest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected BlockTag"}}

// What a node says is said again, in its words and with its code.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x2"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x2"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node cd (path ) state 0xcd is not available"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x3"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x3"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x4"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x4"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x5"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x5"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":4444,"message":"pruned history unavailable"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xabababababababababababababababababababababababababababababababab"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xabababababababababababababababababababababababababababababababab"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header for hash not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab"}]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":true}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":true}]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"hash is not currently canonical"}}

// The block of eth_getStorageAt may be left out, as in geth. Slots may be short, odd or without zeros; longer than 32 bytes
// they are none.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0000000000000000000000000000000000000000000000000000000000000001"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x101","latest"]}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0000000000000000000000000000000000000000000000000000000000000101","latest"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x000000000000000000000000000000000000000000000000000000000000000000","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected 0x and up to 64 hex digits"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xzz","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected 0x and up to 64 hex digits"}}

// eth_getProof takes a list of slots.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x0","0x0000000000000000000000000000000000000000000000000000000000000002"],"latest"]}
=> eth_getProof ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x0000000000000000000000000000000000000000000000000000000000000000","0x0000000000000000000000000000000000000000000000000000000000000002"],"latest"]
<- {"jsonrpc":"2.0","id":1,"result":null}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected array"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x000000000000000000000000000000000000000000000000000000000000000000"],"latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: 0: Expected 0x and up to 64 hex digits"}}

// There are no subscriptions.
-> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method eth_subscribe does not exist/is not available"}}
