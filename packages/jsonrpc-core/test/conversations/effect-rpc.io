// Cases that a JSON-RPC serialization of effect/rpc (4.1.0) gets wrong for the peers we have.
// an error keeps its own data, and nothing else
>> {"jsonrpc":"2.0","id":1,"method":"fail"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded","data":{"see":"docs"}}}

// an unknown method and bad parameters have the codes of the specification
>> {"jsonrpc":"2.0","id":1,"method":"nope"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method nope does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":["42"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: Expected number"}}

// a defect has the id of its call, and none of its text
>> {"jsonrpc":"2.0","id":1,"method":"die"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}

// a parse error has its code, and null for an id
>> {"jsonrpc":"2.0","id":1,"method":
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}

// null stays null
>> {"jsonrpc":"2.0","id":null,"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"result":"pong"}
>> {"jsonrpc":"2.0","id":null,"method":"die"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}

// an empty batch is answered
>> []
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}

// two calls with one id have two answers
>> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"echo","params":[2]}]
<< [{"jsonrpc":"2.0","id":1,"result":"pong"},{"jsonrpc":"2.0","id":1,"result":2}]
>> [{"jsonrpc":"2.0","id":1,"method":"die"},{"jsonrpc":"2.0","id":1,"method":"fail"},{"jsonrpc":"2.0","id":"","method":"ping"}]
<< [{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}},{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded","data":{"see":"docs"}}},{"jsonrpc":"2.0","id":"","result":"pong"}]

// the version is checked
>> {"id":1,"method":"ping"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}

// what its client adds to a request does no harm, and its ping is a method that nobody has
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":[],"headers":[],"traceId":"a","spanId":"b","sampled":true}
<< {"jsonrpc":"2.0","id":1,"result":"pong"}
>> {"jsonrpc":"2.0","method":"@effect/rpc/Ping"}
<<
>> {"jsonrpc":"2.0","id":8,"method":"@effect/rpc/Ping","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"the method @effect/rpc/Ping does not exist/is not available"}}

// positional tuples, ids of both kinds, null as a result: these it gets right too
>> {"jsonrpc":"2.0","id":"a","method":"subtract","params":[42,23]}
<< {"jsonrpc":"2.0","id":"a","result":19}
>> {"jsonrpc":"2.0","id":7,"method":"echo","params":[null]}
<< {"jsonrpc":"2.0","id":7,"result":null}
