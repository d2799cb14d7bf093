// Parameters are checked for the method, and passed to the node in canonical form.

-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x00","latest"]}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x00","latest"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}

// Parameters by name. Members of an object that the method does not know are removed.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":{"block":"0x1","address":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","position":"0x00"}}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x00","0x1"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","__proto__":{"x":1},"other":1},null]}
=> eth_call [{"to":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"}]
<- {"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}

// null is an answer like any other.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByHash","params":["0xabababababababababababababababababababababababababababababababab",false]}
=> eth_getBlockByHash ["0xabababababababababababababababababababababababababababababababab",false]
<- {"jsonrpc":"2.0","id":1,"result":null}

// Too few and too many parameters.
-> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockByHash","params":["0xabababababababababababababababababababababababababababababababab"]}
<- {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"missing value for required argument 1"}}
-> {"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":[1]}
<- {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"too many arguments, want at most 0"}}
