// A response is no request. Whoever sends one over HTTP waits for an answer; over a connection it is passed over.
>> {"jsonrpc":"2.0","id":1,"result":"pong"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","result":"pong"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> [{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"method":"ping"}]
<< [{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":2,"result":"pong"}]
