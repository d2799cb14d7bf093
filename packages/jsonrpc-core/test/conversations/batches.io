// Answers come in the order of the requests; notifications leave no gap.
>> [{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}]
<< [{"jsonrpc":"2.0","id":3,"result":"pong"},{"jsonrpc":"2.0","id":1,"result":1}]

// a batch of one is answered by a batch of one
>> [{"jsonrpc":"2.0","id":1,"method":"ping"}]
<< [{"jsonrpc":"2.0","id":1,"result":"pong"}]

// the same id twice: two answers
>> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"fail"}]
<< [{"jsonrpc":"2.0","id":1,"result":"pong"},{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded","data":{"see":"docs"}}}]

// a batch in a batch is no request
>> [[{"jsonrpc":"2.0","id":1,"method":"ping"}],{"jsonrpc":"2.0","id":2,"method":"ping"}]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":2,"result":"pong"}]

// each item keeps its own fault
>> [{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0","id":{},"method":"ping"},null,{"jsonrpc":"2.0","id":"4","method":"die"}]
<< [{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":"4","error":{"code":-32603,"message":"internal error"}}]

// the server of these conversations takes six at most: the first call's id answers for all
>> [1,{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":"first","method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},1,1,1]
<< [{"jsonrpc":"2.0","id":"first","error":{"code":-32600,"message":"batch too large"}}]
>> [1,1,1,1,1,1,1]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}]

// and sixteen levels of nesting
>> {"jsonrpc":"2.0","id":1,"method":"echo","params":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"request nested too deeply"}}
>> {"jsonrpc":"2.0","id":1,"method":"echo","params":[[[[[[[[[[[[[[["[[[[["]]]]]]]]]]]]]]]}
<< {"jsonrpc":"2.0","id":1,"result":[[[[[[[[[[[[[["[[[[["]]]]]]]]]]]]]]}
