// Answers come as they become ready.
>> {"jsonrpc":"2.0","id":1,"method":"wait","params":["a"]}

>> {"jsonrpc":"2.0","id":2,"method":"wait","params":["b"]}

>> {"jsonrpc":"2.0","id":3,"method":"ping"}
<< {"jsonrpc":"2.0","id":3,"result":"pong"}
>> {"jsonrpc":"2.0","method":"release","params":["b"]}
<< {"jsonrpc":"2.0","id":2,"result":"b"}
>> {"jsonrpc":"2.0","method":"release","params":["a"]}
<< {"jsonrpc":"2.0","id":1,"result":"a"}

// The answers of a batch are one packet, in the order of its requests, and wait for each other.
>> [{"jsonrpc":"2.0","id":4,"method":"wait","params":["c"]},{"jsonrpc":"2.0","id":5,"method":"ping"}]

>> {"jsonrpc":"2.0","id":6,"method":"release","params":["c"]}
<< {"jsonrpc":"2.0","id":6,"result":true}
<< [{"jsonrpc":"2.0","id":4,"result":"c"},{"jsonrpc":"2.0","id":5,"result":"pong"}]

// Two calls may have one id, also at the same time: whoever sends them tells the answers apart, or cannot.
>> {"jsonrpc":"2.0","id":7,"method":"wait","params":["d"]}

>> {"jsonrpc":"2.0","id":7,"method":"ping"}
<< {"jsonrpc":"2.0","id":7,"result":"pong"}
>> {"jsonrpc":"2.0","method":"release","params":["d"]}
<< {"jsonrpc":"2.0","id":7,"result":"d"}

// What is not answered in time does not hold up the rest.
>> {"jsonrpc":"2.0","id":8,"method":"hang"}

>> {"jsonrpc":"2.0","id":9,"method":"ping"}
<< {"jsonrpc":"2.0","id":9,"result":"pong"}
~~ 30 seconds
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32002,"message":"request timed out"}}
