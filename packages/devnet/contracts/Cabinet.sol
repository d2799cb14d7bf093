// SPDX-License-Identifier: Apache-2.0 OR MIT
pragma solidity 0.8.37;

/// A cabinet with one drawer for each way in which Solidity lays a variable out in storage.
contract Cabinet {
    enum Phase {
        Draft,
        Open,
        Closed
    }

    type Price is uint96;

    struct Member {
        uint64 since; // these three share a slot
        uint32 score;
        bool active;
        string nickname;
        mapping(bytes32 topic => int256) votes;
    }

    struct Point {
        int128 x; // these two share a slot
        int128 y;
    }

    // Slot 0, filled from the low end: 20 + 8 + 1 + 1 + 2 = 32 bytes.
    address public owner;
    uint64 public openedAt;
    Phase public phase;
    bool public locked;
    int16 public temperature;

    // Slot 1: 4 + 12 + 16 bytes.
    bytes4 public marker;
    Price public price;
    int128 public drift;

    uint256 public counter; // slot 2
    bytes32 public fingerprint; // slot 3
    int256 public deepest; // slot 4

    string public title; // slot 5, up to 31 bytes in place
    string public story; // slot 6, longer: the data is at keccak256(6)
    bytes public blob; // slot 7

    uint256[] public numbers; // slot 8, one per slot
    uint32[] public small; // slot 9, eight per slot
    Point[] public points; // slot 10
    string[] public notes; // slot 11
    uint16[20] public fixedSmall; // slots 12 and 13
    Point[2] public corners; // slots 14 and 15

    mapping(address who => Member) public members; // slot 16
    mapping(address from => mapping(uint256 day => uint128)) public visits; // slot 17
    mapping(string word => uint256) public wordCount; // slot 18
    mapping(Phase => uint40[]) internal history; // slot 19
    mapping(bool => mapping(int8 => Point)) internal grid; // slot 20

    constructor(string memory title_) {
        owner = msg.sender;
        title = title_;
    }

    function open(uint64 time, Price price_) external {
        phase = Phase.Open;
        openedAt = time;
        temperature = -40;
        marker = 0xcafebabe;
        price = price_;
        drift = -170141183460469231731687303715884105728;
        counter = type(uint256).max;
        fingerprint = keccak256("cabinet");
        deepest = type(int256).min;
        history[Phase.Open].push(uint40(time));
    }

    function write(string calldata story_, bytes calldata blob_) external {
        story = story_;
        blob = blob_;
        unchecked {
            counter += 2; // from its maximum to 1
        }
    }

    function fill(uint256 count) external {
        for (uint256 i = 0; i < count; ++i) {
            numbers.push(i * i);
            small.push(uint32(0x10000 + i));
            fixedSmall[i % 20] = uint16(0x8000 + i);
        }
        points.push(Point(-1, 1));
        points.push(Point(3, -4));
        corners[1] = Point(7, -7);
        notes.push("");
        notes.push("thirty-one bytes fit in a slot.");
        notes.push("thirty-two bytes need one more..");
    }

    function join(address who, string calldata nickname, uint32 score) external {
        Member storage member = members[who];
        member.since = openedAt;
        member.score = score;
        member.active = true;
        member.nickname = nickname;
        visits[who][openedAt / 1 days] += 1;
    }

    function vote(bytes32 topic, int256 weight) external {
        members[msg.sender].votes[topic] = weight;
    }

    function mention(string calldata word) external {
        wordCount[word] += 1;
    }

    function place(bool side, int8 row, Point calldata point) external {
        grid[side][row] = point;
    }

    function close(uint64 time) external {
        phase = Phase.Closed;
        locked = true;
        temperature = 21;
        history[Phase.Closed].push(uint40(openedAt));
        history[Phase.Closed].push(uint40(time));
        story = "The end.";
        delete blob;
        numbers.pop();
        delete small;
        notes[1] = "";
    }

    function remove(address who) external {
        delete members[who]; // its votes stay: a mapping cannot be deleted
    }
}
