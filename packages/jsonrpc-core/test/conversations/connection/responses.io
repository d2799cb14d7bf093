// A response is passed over: its sender may be a server that would answer the answer.
>> {"jsonrpc":"2.0","id":1,"result":"pong"}
<<
>> {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
<<
>> {"error":{"code":-32600,"message":"invalid request"}}
<<
>> [{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"error":{}}]
<<

// what comes with it in a batch is answered
>> [{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"method":"ping"}]
<< [{"jsonrpc":"2.0","id":2,"result":"pong"}]

// a notification of another server is one that nobody knows
>> {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":1}}
<<

// with a method it is a request
>> {"jsonrpc":"2.0","id":1,"method":"ping","result":1}
<< {"jsonrpc":"2.0","id":1,"result":"pong"}
